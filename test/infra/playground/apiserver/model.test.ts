import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../support/test-folder.ts";
import {
  APPLY,
  type Body,
  MERGE,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "./api-client.ts";

const NAMES = ["a", "b", "c"] as const;
const CLIENTS = ["v", "w", "x", "y", "z"] as const;

interface Write {
  readonly act: "create" | "patch" | "apply" | "delete";
  readonly name: string;
  readonly size: number;
  readonly client: string;
}

/** A write, or something that no client does. */
type Step = Write | "restart" | "watch";

const write = fc.record({
  act: fc.constantFrom<Write["act"][]>("create", "patch", "apply", "delete"),
  name: fc.constantFrom(...NAMES),
  size: fc.integer({ min: 0, max: 9 }),
  client: fc.constantFrom(...CLIENTS),
});

const steps = fc.array(
  fc.oneof<[fc.WeightedArbitrary<Step>, fc.WeightedArbitrary<Step>]>(
    { weight: 8, arbitrary: write },
    { weight: 1, arbitrary: fc.constantFrom<Step[]>("restart", "watch") },
  ),
  { minLength: 1, maxLength: 40 },
);

/** Names and sizes: all that the model knows. */
type Model = Map<string, number>;

/** Returns the expected answer of a step, after changing the model. */
function expectedCode(model: Model, step: Write): number {
  const { act, name } = step;
  const exists = model.has(name);
  if (act === "delete") {
    model.delete(name);
    return exists ? 200 : 404;
  }
  if (act === "create" && exists) return 409;
  if (act === "patch" && !exists) return 404;
  model.set(name, step.size);
  return exists ? 200 : 201;
}

async function carryOut(api: TestApiServer, step: Write): Promise<number> {
  const path = `${WIDGETS_PATH}/${step.name}`;
  if (step.act === "delete") return (await api.call("DELETE", path)).code;
  const { name, size, client } = step;
  const headers = { "user-agent": client };
  const body = widget(name, { size });
  if (step.act === "create") return (await api.call("POST", WIDGETS_PATH, { body, headers })).code;
  if (step.act === "patch")
    return (await api.call("PATCH", path, { body: { spec: { size } }, type: MERGE, headers })).code;
  const query = `fieldManager=${client}&force=true`;
  return (await api.call("PATCH", `${path}?${query}`, { body, type: APPLY, headers })).code;
}

const sizesOf = (objects: Iterable<Body>): Model =>
  new Map([...objects].map((object: Body) => [object.metadata.name, object.spec.size]));

const sorted = (model: Model) => [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Objects after the changes since `start`, on top of `before`, up to the version of the newest list. */
async function replay(
  api: TestApiServer,
  before: readonly Body[],
  start: string,
): Promise<Map<string, Body>> {
  const world = new Map<string, Body>(before.map((object) => [object.metadata.name, object]));
  const { body: end } = await api.call("POST", WIDGETS_PATH, { body: widget("end") });
  await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${start}`);
  for (let event = await watch.next(); event; event = await watch.next()) {
    const { metadata } = event.object;
    if (metadata.uid === end.metadata.uid) break;
    if (event.type === "DELETED") world.delete(metadata.name);
    else world.set(metadata.name, event.object);
  }
  await api.call("DELETE", `${WIDGETS_PATH}/end`);
  return world;
}

describe("a model of the server", () => {
  it("predicts every answer and list, across restarts, and watches show the same story", async () => {
    const folder = testFolder("model");
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const data = join(folder, `${run++}`);
        let api = await startTestServer({ data });
        try {
          const model: Model = new Map();
          const first = (await api.call("GET", WIDGETS_PATH)).body;
          let seen = { objects: first.items as readonly Body[], version: first.metadata.resourceVersion };
          for (const step of sequence) {
            if (step === "restart") {
              await api.server.stop();
              api = await startTestServer({ data, withWidgets: false });
            } else if (step === "watch") {
              const world = await replay(api, seen.objects, seen.version);
              expect(sorted(sizesOf(world.values()))).toEqual(sorted(model));
              const { body } = await api.call("GET", WIDGETS_PATH);
              expect(body.items).toEqual(
                [...world.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
              );
              seen = { objects: body.items, version: body.metadata.resourceVersion };
            } else {
              const code = expectedCode(model, step);
              expect(await carryOut(api, step)).toBe(code);
            }
          }
          expect(sorted(sizesOf((await api.call("GET", WIDGETS_PATH)).body.items))).toEqual(sorted(model));
          const fromStart = await replay(api, first.items, first.metadata.resourceVersion);
          expect(sorted(sizesOf(fromStart.values()))).toEqual(sorted(model));
        } finally {
          await api.server.stop();
        }
      }),
      { numRuns: 40 },
    );
  });
});
