"""Asks a folder of rounds by MCP with the protocol's own client."""

import json
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def told(session: ClientSession, name: str, **arguments: object) -> dict:
    result = await session.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


async def ask(program: str, rounds: str, as_of: str) -> None:
    arguments = ["mcp", "--rounds-dir", rounds, "--as-of", as_of]
    server = StdioServerParameters(command=program, args=arguments)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        welcome = await session.initialize()
        assert welcome.server_info.name == "capitalbench"
        tools = (await session.list_tools()).tools
        assert all(tool.annotations.read_only_hint for tool in tools)
        names = {tool.name for tool in tools}
        assert names == {"boards", "rounds", "round", "models", "model", "explain", "verify"}, names
        listed = await told(session, "rounds", limit=5)
        newest = listed["rounds"][0]["round_id"]
        assert (await told(session, "round", round_id=newest))["round"]["round_id"] == newest
        assert (await told(session, "verify", round_id=newest))["summary"]["rounds"] == 1
        model = (await told(session, "models"))["models"][0]["model_id"]
        await told(session, "model", model_id=model)
        assert (await told(session, "explain", model_id=model))["tracks"]
        await told(session, "boards")
        refused = await session.call_tool("round", {"round_id": "../" + newest})
        assert refused.is_error, "a path is no round"
    print(f"MCP: {len(tools)} tools answer the protocol's own client about {listed['count']} rounds")


if __name__ == "__main__":
    anyio.run(ask, *sys.argv[1:])
