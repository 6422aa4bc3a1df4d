"""Validates the program's requests against the request types of the official SDKs.

Reads the JSON lines of the example `provider_requests` from standard input and ends with 1 when a
request holds a field or a value that its SDK does not know. With the folder of recorded answers as
argument it also checks that the good answers fit the SDKs' response types: an imitation that the
SDK could not read would prove nothing.
"""

import copy
import json
import sys
import warnings
from pathlib import Path

import anthropic.types.message_create_params
import groq.types.chat.completion_create_params
import mistralai.client.models as mistral
import ollama._types as ollama
import openai.types.chat.completion_create_params
import openai.types.responses.response_create_params
from anthropic.types import Message
from google.genai import types as google
from groq.types.chat import ChatCompletion as GroqCompletion
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import is_typeddict

# Fields at the root of a request that a service documents and the SDK used here does not have, each
# with its reason. What such a field holds is not compared.
NOT_IN_THE_SDK = {
    "anthropic": {
        "temperature": "models before Opus 4.7 take it; version 2 of the SDK has dropped it",
    },
    "ollama": {
        "shift": "api/types.go of ollama 0.12 and newer; the SDK has not taken it over",
        "truncate": "api/types.go of ollama 0.12 and newer; the SDK has not taken it over",
    },
    "deepseek": {
        "thinking": "api-docs.deepseek.com/guides/thinking_mode: {type: enabled | disabled}",
    },
    "fireworks": {
        "context_length_exceeded_behavior": "docs.fireworks.ai: refuse a long prompt, do not cut it",
    },
    "openrouter": {
        "provider": "openrouter.ai/docs/features/provider-routing: who may answer",
        "plugins": "openrouter.ai/docs/features/web-search: switches plugins off",
        "reasoning": "openrouter.ai/docs/use-cases/reasoning-tokens",
    },
    "together": {
        "reasoning": "docs.together.ai/docs/reasoning-overview: {enabled: BOOL}",
    },
    "moonshot": {
        "thinking": "platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model: {type: …}",
    },
    "qwen": {
        "enable_thinking": "help.aliyun.com/model-studio: thinking needs a stream, so it is off",
        "thinking_budget": "help.aliyun.com/model-studio: most tokens of thinking",
    },
    "zhipu": {
        "thinking": "docs.z.ai/guides/capabilities/thinking-mode: {type: enabled | disabled}",
    },
    "minimax": {
        "thinking": "platform.minimax.io/docs/api-reference/text-openai-api",
        "reasoning_split": "platform.minimax.io/docs/api-reference/text-openai-api",
    },
    "vllm": {
        "chat_template_kwargs": "docs.vllm.ai/en/latest/features/reasoning_outputs.html",
    },
}


# Some requests may hold files, which are no types of pydantic.
FORBID = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def forbid(module_prefix):
    """Lets no typed dictionary of these modules accept a field that it does not declare."""
    for name, module in list(sys.modules.items()):
        if name.startswith(module_prefix):
            for value in vars(module).values():
                if is_typeddict(value):
                    value.__pydantic_config__ = FORBID


def exhaust(value):
    """Walks through everything: what a type calls iterable is validated only then."""
    if isinstance(value, dict):
        for one in value.values():
            exhaust(one)
    elif not isinstance(value, (str, bytes, BaseModel)) and hasattr(value, "__iter__"):
        for one in value:
            exhaust(one)


class StrictOllama(ollama.ChatRequest):
    model_config = ConfigDict(extra="forbid")


class StrictMessage(ollama.Message):
    model_config = ConfigDict(extra="forbid")


class StrictOptions(ollama.Options):
    model_config = ConfigDict(extra="forbid")


def adapters():
    forbid("openai.types")
    forbid("anthropic.types")
    forbid("groq.types")
    forbid("mistralai.client.models")
    params = openai.types.responses.response_create_params.ResponseCreateParamsNonStreaming
    chat = openai.types.chat.completion_create_params.CompletionCreateParamsNonStreaming
    return {
        "responses": TypeAdapter(params),
        "chat": TypeAdapter(chat),
        "anthropic": TypeAdapter(
            anthropic.types.message_create_params.MessageCreateParamsNonStreaming
        ),
        "groq": TypeAdapter(groq.types.chat.completion_create_params.CompletionCreateParams),
        "mistral": TypeAdapter(mistral.ChatCompletionRequestTypedDict),
        "ollama": TypeAdapter(StrictOllama),
        "ollama messages": TypeAdapter(list[StrictMessage]),
        "ollama options": TypeAdapter(StrictOptions),
        "google contents": TypeAdapter(list[google.Content]),
        "google config": TypeAdapter(google.GenerationConfig),
    }


KINDS = {
    "openai": "responses",
    "azure_openai": "responses",
    "anthropic": "anthropic",
    "groq": "groq",
    "mistral": "mistral",
    "ollama": "ollama",
    "google": "google",
}


def check(adapter, value):
    with warnings.catch_warnings():
        # Google's types only warn about a word that they do not know.
        warnings.simplefilter("error")
        exhaust(adapter.validate_python(value))


def said(error):
    """The first complaints; a union repeats them for every one of its types, deeper down."""
    if not isinstance(error, ValidationError):
        return str(error)
    found = sorted(error.errors(), key=lambda one: len(one["loc"]))
    lines = [f"{'.'.join(map(str, one['loc']))[:120]}: {one['msg']}" for one in found[:4]]
    return "; ".join(lines)


def check_request(checked, provider, body):
    """Raises what the SDK's type finds wrong with a request."""
    body = copy.deepcopy(body)
    for field in NOT_IN_THE_SDK.get(provider, {}):
        if field in body:
            used.add((provider, field))
            del body[field]
    kind = KINDS.get(provider, "chat")
    if kind == "google":
        check(checked["google contents"], body.pop("contents"))
        check(checked["google config"], body.pop("generationConfig"))
        if body:
            raise ValueError(f"unknown fields: {', '.join(body)}")
    elif kind == "mistral":
        schema = body.get("response_format", {}).get("json_schema")
        if schema:
            # The SDK's name in Python for what it writes as `schema`.
            schema["schema_definition"] = schema.pop("schema")
        check(checked[kind], body)
    elif kind == "ollama":
        check(checked["ollama options"], body["options"])
        check(checked["ollama messages"], body["messages"])
        check(checked["ollama"], body)
    else:
        check(checked[kind], body)


used = set()


def requests(lines):
    """What is wrong, how many requests were good by provider, and how many were refused here."""
    checked, wrong, good, refused = adapters(), [], {}, 0
    for line in lines:
        sent = json.loads(line)
        provider = sent["provider"]
        if "refused" in sent:
            refused += 1
            continue
        try:
            check_request(checked, provider, sent["body"])
            good[provider] = good.get(provider, 0) + 1
        except (ValidationError, ValueError, UserWarning) as error:
            what = f"{provider} {sent['model']} {json.dumps(sent['settings'])}"
            wrong.append(f"{what}: {said(error)}")
    return wrong, good, refused


def spoiled(body):
    """The same request with one unknown field: at its root, in its message, in its settings."""
    places = [[], ["messages", 0], ["input", 0], ["contents", 0], ["generationConfig"]]
    places += [["response_format"], ["text", "format"], ["output_config"], ["options"]]
    for place in places:
        wrong = copy.deepcopy(body)
        inner = wrong
        try:
            for step in place:
                inner = inner[step]
        except KeyError:
            continue
        inner["surely_unknown"] = 1
        yield place, wrong


def overlooked(lines):
    """Unknown fields that the types accept, which must be none."""
    checked, found, seen = adapters(), [], set()
    for line in lines:
        sent = json.loads(line)
        provider = sent["provider"]
        if "refused" in sent or provider in seen:
            continue
        seen.add(provider)
        for place, wrong in spoiled(sent["body"]):
            try:
                check_request(checked, provider, wrong)
                found.append(f"{provider}: an unknown field in {place} is overlooked")
            except (ValidationError, ValueError, UserWarning):
                pass
    return found


RESPONSES = {
    "openai": Response,
    "azure_openai": Response,
    "anthropic": Message,
    "google": google.GenerateContentResponse,
    "groq": GroqCompletion,
    "mistral": mistral.ChatCompletionResponse,
    "ollama": ollama.ChatResponse,
}


def answers(folder):
    """What is wrong with good answers, and how many are right."""
    wrong, good = [], 0
    for file in sorted(folder.glob("*.jsonl")):
        model = RESPONSES.get(file.stem, ChatCompletion)
        adapter = TypeAdapter(model)
        for line in file.read_text().splitlines():
            line = json.loads(line)
            if line["expect"]["outcome"] != "valid" or line["name"] in UNUSUAL:
                continue
            body = line["body"] if "body" in line else json.loads(line["body_text"])
            try:
                adapter.validate_python(body)
                good += 1
            except ValidationError as error:
                wrong.append(f"{file.stem} {line['name']}: {said(error)}")
    return wrong, good


# Good answers that no SDK reads, though services send them: floats that count tokens are read,
# but a missing name, a finish reason of the host's own and text in chunks are not.
UNUSUAL = {"no_served_name", "plain_success_eos", "text_in_chunks"}


def main():
    lines = sys.stdin.readlines()
    wrong, good, refused = requests(lines)
    wrong += overlooked(lines)
    unused = {
        f"{provider}.{field}"
        for provider, fields in NOT_IN_THE_SDK.items()
        if provider in good
        for field in fields
        if (provider, field) not in used
    }
    text = ", ".join(f"{count} {provider}" for provider, count in sorted(good.items()))
    print(f"requests that the SDKs accept: {text}; {refused} settings refused before a request")
    if unused:
        print(f"exceptions that no request used: {', '.join(sorted(unused))}")
    if len(sys.argv) > 1:
        unread, read = answers(Path(sys.argv[1]))
        wrong += unread
        print(f"good answers that the SDKs read: {read}")
    for one in wrong:
        print(one, file=sys.stderr)
    if wrong or sum(good.values()) < 100:
        sys.exit(1)


if __name__ == "__main__":
    main()
