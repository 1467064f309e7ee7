import type { FastifyInstance } from 'fastify';

export const mcpPath = '/api/v1/mcp';

interface Sent {
  /** Empty: none is sent. */
  key?: string | undefined;
  headers?: Record<string, string>;
  body: string | Buffer;
}

export const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params ? { params } : {}),
});

/** Speaks JSON-RPC to the app's MCP endpoint; with `key` unless another one is given. */
export class McpClient {
  readonly #app: FastifyInstance;
  readonly #key: string;

  constructor(app: FastifyInstance, key: string | undefined) {
    this.#app = app;
    this.#key = key ?? '';
  }

  /** The raw answer; `body` is undefined when it was empty. */
  async send({ key = this.#key, headers = {}, body }: Sent) {
    const authorization = key === '' ? {} : { authorization: `Bearer ${key}` };
    const answer = await this.#app.inject({
      method: 'POST',
      url: mcpPath,
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      payload: body,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? undefined : answer.json() };
  }

  /** One request; its JSON-RPC answer. */
  async ask(method: string, params?: unknown, key?: string) {
    return (await this.send({ key, body: JSON.stringify(rpc(method, params)) })).body;
  }

  /** One tool call; its text read as JSON. */
  async call(name: string, args?: Record<string, unknown>, key?: string) {
    const { result } = await this.ask('tools/call', { name, arguments: args }, key);
    return { isError: result.isError, value: JSON.parse(result.content[0].text) };
  }

  /** The names of the tools that a key is shown. */
  async toolNames(key?: string): Promise<string[]> {
    const { tools } = (await this.ask('tools/list', undefined, key)).result;
    return tools.map(({ name }: { name: string }) => name);
  }
}
