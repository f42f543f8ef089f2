import { execFileSync } from "node:child_process";
import { startApiServer } from "../../../../../infra/playground/apiserver/server.ts";

/*
 * A server with a data folder whose files may not grow beyond the soft limit of this process. Prints what it answered
 * to writes: one after another until some were refused, smaller ones, and again when there is space.
 */

const [data = ""] = process.argv.slice(2);
const server = await startApiServer({ name: "full", data });
const path = "/api/v1/namespaces/default/configmaps";
const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
const answers: { readonly name: string; readonly code: number; readonly message?: string }[] = [];

async function create(name: string, characters: number): Promise<number> {
  const body = JSON.stringify({ metadata: { name }, data: { filler: "x".repeat(characters) } });
  const answer = await fetch(server.url + path, { method: "POST", headers, body });
  const { message } = (await answer.json()) as { message?: string };
  answers.push({ name, code: answer.status, ...(message === undefined ? {} : { message }) });
  return answer.status;
}

for (let turn = 0; (await create(`large-${turn}`, 3_000)) === 201; turn++);
for (let turn = 0; (await create(`small-${turn}`, 10)) === 201; turn++);
execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited:unlimited"]);
for (let turn = 0; turn < 3; turn++) await create(`later-${turn}`, 3_000);
await server.stop();
process.stdout.write(JSON.stringify(answers));
