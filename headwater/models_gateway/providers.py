"""The names of models that litellm can call.

Belongs here: providers, and the form of a name. Not here: calling them (`litellm_client`). Guarantee: checking a name
imports nothing heavy; a valid name cannot be an address.
"""

import re
from collections.abc import Collection, Mapping

from headwater.models_gateway.local_server import key_for_call
from headwater.settings import is_set

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

CHAT_PROVIDERS = (
    "ai21", "anthropic", "azure", "azure_ai", "baseten", "bedrock", "cerebras", "codestral", "cohere", "cohere_chat",
    "dashscope", "databricks", "deepinfra", "deepseek", "edenai", "featherless_ai", "fireworks_ai", "friendliai",
    "gemini", "gigachat", "groq", "hosted_vllm", "huggingface", "hyperbolic", "lambda_ai", "litellm_proxy", "llamafile",
    "lm_studio", "meta_llama", "minimax", "mistral", "moonshot", "nebius", "novita", "nscale", "nvidia_nim", "oci",
    "ollama", "ollama_chat", "openai", "openrouter", "ovhcloud", "perplexity", "qwen_ai_platform", "qwencloud",
    "sagemaker", "sambanova", "scaleway", "snowflake", "together_ai", "vercel_ai_gateway", "vertex_ai", "volcengine",
    "wandb", "watsonx", "xai", "zai",
)  # fmt: skip
"""Providers that litellm can chat with and that the environment alone configures: without those that ask a person to
log in (chatgpt, github_copilot), that need an address with the call (custom, triton), or that run agents or speech."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "codestral": ("CODESTRAL_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "novita": ("NOVITA_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "xai": ("XAI_API_KEY",),
}
"""Variables of which one must be set; only of providers that cannot be called in another way."""

_NAME = re.compile(r"(?!.*https?:)[\w@][\w.@:+-]*(?:/[\w@][\w.@:+-]*){0,6}", re.ASCII | re.IGNORECASE)
_LENGTH = 200


def is_provider_model(model: str, providers: Collection[str] = PROVIDERS) -> bool:
    """Whether a name is `provider/model` with one of some providers, by default those that litellm can embed with.

    The model may contain slashes, colons and dots as providers use them, but must not be an address: some providers
    would send the text and the key to it.
    """
    provider, _, name = model.partition("/")
    return provider in providers and len(model) <= _LENGTH and _NAME.fullmatch(name) is not None


def is_called_by_litellm(model: str) -> bool:
    """Whether a model of any kind is one of a provider's, and not built in or local."""
    return model.partition("/")[0] in {*PROVIDERS, *RERANK_PROVIDERS, *CHAT_PROVIDERS}


def find_missing_key(model: str) -> str | None:
    """The variable with the provider's key, if it is not set; None if it is set, or if the provider may need none."""
    variables = KEYS.get(model.partition("/")[0], ())
    is_found = not variables or any(is_set(name) for name in variables) or key_for_call(model) is not None
    return None if is_found else variables[0]
