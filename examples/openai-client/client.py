"""A typed answer of any model in Python, with nothing but the standard library.

`truecast serve` validates the answer, so the program only reads it. Set TRUECAST_URL and TRUECAST_TOKEN.
"""

import json
import os
import urllib.error
import urllib.request

URL = os.environ.get("TRUECAST_URL", "http://127.0.0.1:4747")
TOKEN = os.environ.get("TRUECAST_TOKEN", "")


def call(path, body=None):
    """Sends a request to the server, and returns its JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    request = urllib.request.Request(f"{URL}/v1{path}", data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        # The message says what was expected, what came, and what to do.
        raise SystemExit(json.load(refused)["error"]["message"])


schema = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["name", "people"],
    "additionalProperties": False,
}
model = os.environ.get("TRUECAST_MODEL") or call("/models")["data"][0]["id"]
completion = call(
    "/chat/completions",
    {
        "model": model,
        "messages": [{"role": "user", "content": "Which city is the capital of Norway?"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "city", "schema": schema, "strict": True},
        },
    },
)
city = json.loads(completion["choices"][0]["message"]["content"])
assert isinstance(city["people"], int)
print(json.dumps(city, separators=(",", ":")))
