import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commandLineOf, ownCommand } from "../../../infra/cli/own-command.ts";

const LAUNCHER = fileURLToPath(new URL("../../../infra/cli/capstan.js", import.meta.url));

it("starts commands from any folder in a clone, with the servers of the process and without a password", () => {
  expect(ownCommand()).toBe(`node ${LAUNCHER}`);
  const named = { kubeconfig: "/home/a b/config", queue: "redis://127.0.0.1:6379/1", deadLetters: "l.jsonl" };
  expect(commandLineOf(named)).toEqual({
    capstan: ownCommand(),
    cluster: " --kubeconfig '/home/a b/config'",
    queue: " --queue redis://127.0.0.1:6379/1 --dead-letters l.jsonl",
  });
  expect(commandLineOf({ queue: "rediss://u:secret@redis.example:6379" }).queue).toBe("");
  expect(commandLineOf({ queue: "sqs://eu-west-1?redis=rediss://u:secret@r" }).queue).toBe("");
  expect(commandLineOf({ queue: "memory" })).toMatchObject({ cluster: "", queue: "" });
});
