"""The names of models that litellm can call.

Belongs here: providers, and the form of a name. Not here: calling them (`litellm_client`). Guarantee: checking a name
imports nothing; a valid name cannot be an address.
"""

import re
from collections.abc import Collection

PROVIDERS = (
    "azure", "azure_ai", "bedrock", "cohere", "cohere_chat", "cometapi", "dashscope", "databricks", "edenai",
    "fireworks_ai", "gemini", "gigachat", "hosted_vllm", "huggingface", "jina_ai", "litellm_proxy",
    "llamafile", "lm_studio", "mistral", "nebius", "nvidia_nim", "oci", "ollama", "openai", "openai_like", "openrouter",
    "ovhcloud", "perplexity", "qwen_ai_platform", "qwencloud", "sagemaker", "sambanova", "sap", "snowflake",
    "together_ai", "vercel_ai_gateway", "vertex_ai", "volcengine", "voyage", "wandb", "watsonx", "xinference",
)  # fmt: skip
"""The providers that litellm can embed with and that the environment alone configures. So without github_copilot, which
asks a person to log in, and infinity, oobabooga and triton, whose address must be passed with the call."""

RERANK_PROVIDERS = (
    "azure_ai", "bedrock", "cohere", "dashscope", "deepinfra", "fireworks_ai", "hosted_vllm", "huggingface", "infinity",
    "jina_ai", "litellm_proxy", "nvidia_nim", "qwen_ai_platform", "qwencloud", "scaleway", "together_ai", "vertex_ai",
    "voyage", "watsonx",
)  # fmt: skip
"""The providers that litellm can rerank with."""

_NAME = re.compile(r"(?!.*https?:)[\w@][\w.@:+-]*(?:/[\w@][\w.@:+-]*){0,6}", re.ASCII | re.IGNORECASE)
_LENGTH = 200


def is_provider_model(model: str, providers: Collection[str] = PROVIDERS) -> bool:
    """Whether a name is `provider/model` with one of some providers, by default those that litellm can embed with.

    The model may contain slashes, colons and dots as providers use them, but must not be an address: some providers
    would send the text and the key to it.
    """
    provider, _, name = model.partition("/")
    return provider in providers and len(model) <= _LENGTH and _NAME.fullmatch(name) is not None
