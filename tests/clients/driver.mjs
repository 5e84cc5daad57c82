// The TypeScript SDK drives a server once through all that it can do, and prints what came of it.
// Usage: node driver.mjs SDK_FOLDER COMMAND ARGUMENTS...

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdk, command, ...args] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(sdk, "dist/esm", file)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const types = await load("types.js");

const TIMELINE = "devloop://timeline";
const seen = { asked: [], progress: [], messages: [] };

const client = new Client(
  { name: "typescript", version: "1" },
  { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
);
client.setRequestHandler(types.ElicitRequestSchema, async ({ params }) => {
  seen.asked.push(params.message);
  const [field] = Object.keys(params.requestedSchema.properties);
  return { action: "accept", content: { [field]: field === "name" ? "小明 Ming" : "蓝 blue" } };
});
client.setRequestHandler(types.CreateMessageRequestSchema, async ({ params }) => ({
  role: "assistant",
  model: "模型",
  content: { type: "text", text: `好 ${params.maxTokens}` },
}));
client.setRequestHandler(types.ListRootsRequestSchema, async () => ({
  roots: [{ uri: "file:///demo" }],
}));
client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => {
  seen.messages.push(params.data);
});
const updated = new Promise((resolve) => {
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) =>
    resolve(params.uri),
  );
});

async function refused(promise) {
  try {
    return { result: await promise };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

const call = (name, given = {}, options = {}) =>
  client.callTool({ name, arguments: given }, undefined, options);

await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const found = {
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
  pong: await client.ping(),
  tools: (await client.listTools()).tools,
  added: await call("add", { a: 1, b: 2 }),
  picture: await call("picture"),
  unknown: await refused(call("没有")),
  invalid: await call("add", { a: "一" }),
  crashed: await call("fail"),
  // The SDK forgets progress that comes in one piece with the result; here a question is between.
  interview: await call("interview", {}, { onprogress: (fact) => seen.progress.push(fact) }),
  survey: await call("survey"),
  level: await client.setLoggingLevel("info"),
  counted: await call("count", { to: 3 }),
  timedOut: await refused(call("wait_to_be_cancelled", {}, { timeout: 500 })),
  aborted: await refused(call("wait_to_be_cancelled", {}, { signal: AbortSignal.timeout(500) })),
  subscribed: await client.subscribeResource({ uri: TIMELINE }),
  appended: await call("timeline_append", { event: "单元.built", summary: "好了 done" }),
  updated: await updated,
  unsubscribed: await client.unsubscribeResource({ uri: TIMELINE }),
  resources: (await client.listResources()).resources,
  templates: (await client.listResourceTemplates()).resourceTemplates,
  timeline: await client.readResource({ uri: TIMELINE }),
  drawing: await client.readResource({ uri: "talk://图" }),
  each: await client.readResource({ uri: "talk://每个/一" }),
  nowhere: await refused(client.readResource({ uri: "devloop://todo/nobody" })),
  prompts: (await client.listPrompts()).prompts,
  travel: await client.getPrompt({ name: "travel", arguments: { 城市: "北京" } }),
  greet: await client.getPrompt({ name: "greet" }),
  cities: await client.complete({
    ref: { type: "ref/prompt", name: "travel" },
    argument: { name: "城市", value: "北" },
  }),
};
await client.close();
process.stdout.write(JSON.stringify({ ...found, ...seen }));
