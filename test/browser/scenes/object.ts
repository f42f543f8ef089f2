import type { Fleet } from "../../../infra/console/api/fleet.ts";
import type { Runs } from "../../../infra/console/api/runs.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { ago, MINUTE, type Scene } from "../scene.ts";
import { ME } from "./me.ts";
import { PLAYED } from "./played.ts";

/** The Machine of the played world with which a function has given up. */
const { items: fleet } = await PLAYED.ask<Fleet>("fleet");
const DEAD = parseKey(fleet.find(({ state }) => state === "dead")?.about?.key ?? "");
const PATH = `objects/Machine/default/${DEAD?.name}`;
const object = await PLAYED.ask<object>(PATH);
const runs = await PLAYED.ask<Runs>(`${PATH}/runs`);
const ANSWERS = { me: ME, [PATH]: object, [`${PATH}/runs`]: runs };

/** A run that wrote, was caused by one and has caused others. */
const wrote = runs.items.find(({ writes, caused }) => writes.length > 0 && caused.length > 0);
const [change = { path: "" }] = wrote?.writes[0]?.changes ?? [];

const POOL = "objects/MachinePool/default/payments-workers";
const pool = await PLAYED.ask(POOL);
const poolRuns = await PLAYED.ask<Runs>(`${POOL}/runs`);
const idle = poolRuns.items.filter(({ writes, outcome }) => writes.length === 0 && outcome === "ok");

export const OBJECT_SCENES: readonly Scene[] = [
  { name: "object", path: `/${PATH}`, answers: ANSWERS, shows: "its budget is used up" },
  {
    name: "object-run",
    path: `/${PATH}?run=${wrote?.runId}`,
    answers: ANSWERS,
    shows: change.path,
    opens: async (page, text) => {
      // Ids of runs in the address: lone surrogates cannot stand there.
      for (const shape of text.isWellFormed() ? ["failed", "wrote"] : []) {
        await page.locator(`.lanes .${shape}`).first().click();
        await page.locator(".chosen").waitFor();
      }
    },
  },
  {
    name: "object-run-forgotten",
    path: `/${PATH}?run=r-1&by=machine-status`,
    answers: ANSWERS,
    shows: "is forgotten",
  },
  {
    name: "object-idle",
    path: `/${POOL}`,
    answers: { me: ME, [POOL]: pool, [`${POOL}/runs`]: { ...poolRuns, items: idle } },
    shows: "nothing to do",
  },
  {
    name: "object-partial",
    path: `/${PATH}`,
    answers: {
      ...ANSWERS,
      [PATH]: { ...object, stale: [{ since: ago(5.5 * MINUTE), reason: "Redis does not answer" }] },
      [`${PATH}/runs`]: {
        error: {
          status: 503,
          reason: "Unavailable",
          message: "the history cannot be read: Redis does not answer",
          next: "this part comes back by itself; see the page Relay and workers",
          since: ago(5.5 * MINUTE),
        },
      },
    },
    shows: "Not available",
  },
  {
    name: "object-live",
    path: `/${POOL}`,
    answers: {
      me: ME,
      [POOL]: pool,
      [`${POOL}/runs`]: poolRuns,
      [`${POOL}/live`]: await PLAYED.ask(`${POOL}/live`),
    },
    act: async (page) => {
      await page.getByText("Manifest").click();
      await page.getByText("Field managers").click();
      await page.getByText("spec.providerIDList").scrollIntoViewIfNeeded();
    },
    shows: "spec.providerIDList",
  },
];
