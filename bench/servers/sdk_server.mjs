// The peer: McpServer of the TypeScript SDK. It has no threads for blocking code, so `block` waits
// on the event loop, as its authors would write it.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.argv[2] + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { McpServer } = await load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = await load("zod");

const server = new McpServer({ name: "peer", version: "0" });
const text = (value) => ({ content: [{ type: "text", text: value }] });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

server.registerTool(
  "echo",
  { description: "Return the text.", inputSchema: { text: z.string() } },
  async (given) => text(given.text),
);
for (const name of ["sleep", "block"]) {
  server.registerTool(
    name,
    { description: "Wait on the event loop.", inputSchema: { ms: z.number().int() } },
    async (given) => {
      await wait(given.ms);
      return text("ok");
    },
  );
}
await server.connect(new StdioServerTransport());
process.stdin.on("end", () => process.exit(0));
