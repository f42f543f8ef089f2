import { causeOf } from "../../../shared/runtime/queue/queue-control.ts";
import { doneSchema, seenLetterSchema, seenPauseSchema } from "../api/actions.ts";
import { problem } from "../problem.ts";
import { functionNamed, requirePause, requireRight, shownState } from "./require.ts";
import { defineRoute } from "./route.ts";

export const requeue = defineRoute(
  {
    method: "POST",
    path: "/letters/{function}/{key}/requeue",
    summary: "Sends a live event to a dead key, when it is still dead as it was shown.",
    needs: ["control"],
    body: seenLetterSchema,
    answer: doneSchema,
  },
  async ({ viewer, params: { function: name = "", key = "" }, body, ports }, { functions, log }) => {
    functionNamed(functions, name);
    await requireRight(viewer, "requeue", [key]);
    const deadSince = new Date(body.deadSince);
    const [answer] = await ports.control.requeue(name, [{ key, deadSince }], causeOf("requeue", viewer.name));
    if (answer?.done !== true) {
      const state = answer?.state;
      throw changed(
        "the key is not dead as it was shown",
        state === undefined ? undefined : shownState(state),
      );
    }
    log.info({ user: viewer.name, function: name, keys: [key] }, "dead letters requeued");
    return { done: "requeued" as const, by: viewer.name };
  },
);

export const drop = defineRoute(
  {
    method: "POST",
    path: "/letters/{function}/{key}/drop",
    summary:
      "Removes a dead letter for good, when it is still as it was shown; its key stays dead until an event.",
    needs: ["control"],
    body: seenLetterSchema,
    answer: doneSchema,
  },
  async ({ viewer, params: { function: name = "", key = "" }, body, ports }, { log }) => {
    await requireRight(viewer, "drop", [key]);
    const [answer] = await ports.control.dropSeen(name, [{ key, ...body }]);
    if (answer?.done !== true) throw changed("the letter is not as it was shown", answer?.head);
    log.info({ user: viewer.name, function: name, keys: [key] }, "dead letters dropped");
    return { done: "dropped" as const, by: viewer.name };
  },
);

export const pause = defineRoute(
  {
    method: "POST",
    path: "/queue/{function}/pause",
    summary: "Stops the claims of a function in all processes, when it is not paused.",
    needs: ["control"],
    body: seenPauseSchema,
    answer: doneSchema,
  },
  async ({ viewer, params, body, ports }, { functions, log }) => {
    const { name } = functionNamed(functions, params["function"]).spec;
    await requirePause(viewer, name);
    if (body.paused || !(await ports.control.pause(name))) {
      throw changed("the function is paused already", { paused: true });
    }
    log.info({ user: viewer.name, function: name }, "function paused");
    return { done: "paused" as const, by: viewer.name };
  },
);

export const resume = defineRoute(
  {
    method: "POST",
    path: "/queue/{function}/resume",
    summary: "Lets the claims of a paused function begin again.",
    needs: ["control"],
    body: seenPauseSchema,
    answer: doneSchema,
  },
  async ({ viewer, params, body, ports }, { functions, log }) => {
    const { name } = functionNamed(functions, params["function"]).spec;
    await requirePause(viewer, name);
    if (!body.paused || !(await ports.control.resume(name))) {
      throw changed("the function is not paused", { paused: false });
    }
    log.info({ user: viewer.name, function: name }, "function resumed");
    return { done: "resumed" as const, by: viewer.name };
  },
);

/** Nothing was done, and the page shows how it is now. */
function changed(message: string, current: object | undefined) {
  const next = "look at it as it is now, and decide again";
  return problem("changed", message, next, current === undefined ? {} : { current });
}
