"""The centre of multilingual-e5-small's vectors: of passages, and of questions.

Belongs here: the two vectors, 384 half-precision floats each. Not here: what they are for (`e5`), how they are computed
(`python -m bench.e5_centre`). Guarantee: they never change under the model's name, since stored vectors depend on them.
"""

import base64

import numpy as np

from headwater.models_gateway.embedder import Vectors

_PASSAGES = (
    "gCaHqFmpval/KyqpWiTCKFAqDaD+JwUU/CktpEmqWisDK7ulg6V7qqgnLiSqqUQoiyrgKvmkTSaOKUise6rsqmUpxasfKvAnT6lJqTQrFKzbo7"
    "AmAylEKgMjQip2qfgmIqmUp3il5yoxH1QoSSgzrH2qCay4q8wr9CoNqKkiIydXLQ4s+yg1K8aqrqg9qasp4iAMqMUc7B83JU+qrCaGqTeq1al8"
    "qYEi56lgLLQrHqxpLAuoHSwvKYiqsqp9q4Sr/Kb7KngqKqjgK7amnSpIrLKm9ChsKR6svCmsqlyqlSlcKxYqtKpLp2KhdKqTJWCozClJqM2q1K"
    "umq6uqByirKcMcHyPNKEoppiMkKhYpgiw1rLIel6GdplCqdipqqbcpwyu6KR0s8KhFLHOp8ygnqJAsSyhnKZ2oIarPqn0qUStUqUqsw6uZo+iq"
    "u6YpJ5cr06ilqv2n9iivp48omx3uKbypNyfhLBYqvaXEpguszKpBqjaqYqnRJpIgR6eon+kpaKdYq9KqgSeHqYQqeylgKnmjXaZIKJIpCSkyor"
    "arlCsuqS4pFSqUrDmsBCuxqFeo950nKvipQCrGKDqi8yg3rtqqGCkwKUOqYahgKH2pDamyqd6skahArEylwSqBJ6Osf6YvqdoohKx9Kiqpj6Rh"
    "KfujHSgMKTmqk6rxqHupNyvPKYQt46rpKJ4kgKY0LgMpwylQJ3upcabBqdCg0qgtJ7woPqkqqt6o9ibMLAunaag0KwcoIiqFKZ0nJKTHpxIpEK"
    "gTqfKiy6s9Ks2qOyy8JHMaoyxtqFcpb6QYqxYlOSnhrDsoKSKDID4naCVpLN4olarrqMop9Cs9o4soiaukq+Ko6qranKaryCmzK8KqxKh+KOod"
    "OicCpUWnhCriq9Wmhqa1Kw+rLqt+JTQqvaoVKb6nR6yxKYilNalgJWApPq0gJNwpR6igKQyj5qipK1IqL6uCqDkqHSc5KxAqGKD+GJUoRauGK4"
    "0qN6koI0uf2KkHq5YrbKskrEwq+yrNKocq"
)
_QUESTIONS = (
    "ByrtqCWpLalBK6CrgifSKEIpMB0wKoEgEir2px+ppCnuK0Wm+qclrI8mhxNyq78pwSmhK7qmliQ5Kq6rbKssq5opN6vRK/gog6tDqWYs1angp+"
    "8mGSkiKr0ouSooqTYpo6gspMOoeSt+J3koqCd/q3irVqoIqx0rSip+qFElSCUxK5Eq3ih1Kg6sGKbBqbcpUyRMqMIYCiXkJ1GpTyYmqJqrCKko"
    "qTknAqp4K5cqGKsOLFioyirBKXiqDqvYq6iq9aZ8KR0pu6jqKheoiCgsq7ioyCj0KvOr1SrcqZGovyoZLNgrgqoKqDufq6hMKAWqJCyDqOSqi6"
    "ttqoupkigJKp8kiSX2J/cmuSfeKv0pxSuYrE6dtaPOpjup2ygIqokoYitGKYUtianUK5+nnSliprwr8SiQKTWoWqppql8ptimnqEWrr6vsps2q"
    "n6eNKEcr9KksqkaowSmVqRYpl5UFKyCpQSmZLCApbqjappGqTqveqhGrnqn5JGIlXakfoywqxamGqnmpcSmiqgArhylmKfagiKhUJwApPilLEp"
    "mqbym+qqUozypDrGyqTysWqImk7SC9KReqrypnKUWk4CjNrpioWinKKOeotaZ2KfupZKdJqiGtiqicq6imgCkhKM2qDaq6qQAp+6wuKnmpKqfd"
    "KOekpiV0KfurP6eQqd2opSrTKP4rFKtKKPsjdaVaLcEpSypxKIqqhqd6qdWkgasXKOcphaiRqFOnVigkLSKocai4K0koDipSKzsoiafUpToqXa"
    "mNqMmccqkUK6qnqCs/JZMhgCuOqGAofqbQqFckfChNrA0othzWJhQmbCiLKyspiqlEqRYpPSp5nnQno6s0qsGryqnsouKrLipqKOiqQ6lfKI8h"
    "8IsxqZ+p3CsUqzaokqijK5KpnawcJrUo5qreJ4qgUaqbKJ2oPar+KOMnhq26JUUpGKr1KA+kVav+KD8pd6pZqHQpQSglKkgrlaSIg+0mKKvnKp"
    "8r/6lVJHmhm6j6qRsqhamCqlApJiwkJokq"
)


def _decode(encoded: str) -> Vectors:
    return np.frombuffer(base64.b64decode(encoded), "<f2").astype(np.float32)


PASSAGES, QUESTIONS = _decode(_PASSAGES), _decode(_QUESTIONS)
"""Shape (384,) each."""
