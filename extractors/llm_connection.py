"""From the name of a model to a connection: which provider, which endpoint, and whose key.

Invariant: a key comes from the environment and goes to the endpoint it is meant for: with a base URL only
`GRAPHMEM_API_KEY` is sent, without one the provider's own.  An endpoint that speaks OpenAI's dialect cannot pass a transcript
on by a redirect.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphmem.checks import brief
from graphmem.errors import InputError, MissingDependency
from graphmem.extractors.llm import LLMExtractor
from graphmem.extractors.llm_agent import TIMEOUT, TOKENS, AgentProposer, Form
from graphmem.extractors.llm_prompt import SIZE

if TYPE_CHECKING:
    from pydantic_ai.models import Model

KEY = "GRAPHMEM_API_KEY"
INSTALL = "pip install 'graphmem[llm]'"
# Provider: the module it needs, the extra of pydantic-ai that brings it, the variable of its key.
_NATIVE = {
    "anthropic": ("anthropic", "anthropic", "ANTHROPIC_API_KEY"),
    "google": ("google.genai", "google", "GOOGLE_API_KEY"),
}
Connect = Callable[[], AbstractAsyncContextManager["Model"]]


def llm_extractor(
    model: str | None,
    *,
    base_url: str | None = None,
    answer: Form | None = None,
    timeout: float = TIMEOUT,
    retries: int = 2,
    size: int = SIZE,
    tokens: int = TOKENS,
    items: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> LLMExtractor:
    """The extractor for a model.

    Args:
        model: `provider:name` with openai, anthropic or google; with a base URL just a name.
        base_url: an endpoint that speaks OpenAI's dialect, local or remote.
        answer: how it is asked for its answer: `tool`, `native` (a JSON schema) or `prompted`; default `native` with a
            base URL, else `tool`.
        timeout: seconds for one question.
        retries: how often a request that failed on the way is sent again.
        size: characters of one question.
        tokens: that one answer may have.
        items: that one answer may have, for models that do not come to an end by themselves.
        environ: where the keys are.

    Raises:
        InputError: the name or the URL cannot be used, or there is no key.
        MissingDependency: the package for the provider is not installed.
    """
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        raise MissingDependency("pydantic-ai", INSTALL, "the extractor `llm`")
    if not model or not model.strip():
        raise InputError("the extractor `llm` needs a model: name it with --model, such as openai:gpt-5-mini")
    provider, _, name = model.partition(":") if base_url is None else ("openai", "", model.removeprefix("openai:"))
    if base_url is not None:
        connect = _compatible(name, _checked(base_url), environ.get(KEY) or "none", timeout, retries)
        where, key = f"the endpoint {base_url} with model {brief(name)}", KEY
    elif not name:
        raise InputError(
            f"model {brief(model)} names no provider: write provider:name, such as openai:gpt-5-mini, or add --base-url"
        )
    elif provider == "openai":
        key, where = "OPENAI_API_KEY", f"the provider of {brief(model)}"
        connect = _compatible(name, None, _key(key, environ, model), timeout, retries)
    elif provider in _NATIVE:
        key, where = _NATIVE[provider][2], f"the provider of {brief(model)}"
        connect = _native(provider, model, environ)
    else:
        raise InputError(
            f"provider {brief(provider)} of model {brief(model)} is unknown: use one of openai, {', '.join(_NATIVE)}"
        )
    form: Form = answer or ("native" if base_url else "tool")
    proposer = AgentProposer(connect, where=where, key=key, form=form, timeout=timeout, tokens=tokens, items=items)
    return LLMExtractor(proposer, model=f"openai-compatible:{name}" if base_url else model, size=size)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
        parts = urlsplit("")
    if not usable:
        raise InputError(f"base URL {brief(url)} is none: write it as http://127.0.0.1:8080/v1")
    if parts.username or parts.password or parts.query:
        raise InputError(f"the base URL for {parts.hostname} holds more than an address: put the key into {KEY} instead")
    return url


def _key(name: str, environ: Mapping[str, str], model: str) -> str:
    if not environ.get(name):
        raise InputError(f"there is no key for {brief(model)}: set {name}, or name an endpoint of your own with --base-url")
    return environ[name]


def _compatible(name: str, base_url: str | None, key: str, timeout: float, retries: int) -> Connect:
    @asynccontextmanager
    async def connect() -> AsyncIterator[Model]:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        async with (
            DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout) as http,
            AsyncOpenAI(base_url=base_url, api_key=key, http_client=http, max_retries=retries, timeout=timeout) as client,
        ):
            yield OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))

    return connect


def _native(provider: str, model: str, environ: Mapping[str, str]) -> Connect:
    module, extra, key = _NATIVE[provider]
    try:
        there = find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        there = False
    if not there:
        raise MissingDependency(module, f"pip install 'pydantic-ai-slim[{extra}]'", f"the model {brief(model)}")
    _key(key, environ, model)

    @asynccontextmanager
    async def connect() -> AsyncIterator[Model]:
        from pydantic_ai.models import infer_model

        yield infer_model(model)

    return connect
