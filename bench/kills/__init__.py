"""The parts of the kill campaign (`bench.kill_campaign`): files, a whole installation, victims, readers, comparison."""
