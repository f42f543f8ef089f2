import { expect, it } from "vitest";
import { createKernel, type Process } from "./kernel.ts";
import { leakedTimers, timersAtRest } from "./timers.ts";

const noTicks = () => 0;

/** Something that looks at the world every 10 s. */
function look(process: Process): void {
  process.clock.after(10_000, () => look(process));
}

it("a timer that is left behind with every reconnect is reported, one of a request that is under way is not", async () => {
  const kernel = createKernel({ seed: 1 });
  const relay = kernel.process("relay");
  look(relay);
  const sound = await timersAtRest(kernel, noTicks);
  expect(sound).toEqual(new Map([["relay", { fewest: 1, most: 1 }]]));
  relay.clock.after(3_000, () => undefined);
  expect(leakedTimers(sound, await timersAtRest(kernel, noTicks))).toEqual([]);
  look(relay);
  expect(leakedTimers(sound, await timersAtRest(kernel, noTicks))).toEqual([
    "relay has 2 timers at rest instead of 1",
  ]);
});

it("timers of a process that has ended are not counted, those of its successor are", async () => {
  const kernel = createKernel({ seed: 1 });
  const first = kernel.process("relay");
  look(first);
  look(first);
  first.kill();
  look(kernel.process("relay"));
  expect(await timersAtRest(kernel, noTicks)).toEqual(new Map([["relay", { fewest: 1, most: 1 }]]));
});

it("the tick of a queue that a process has opened is not a leak, a second tick of the same queue is", async () => {
  const kernel = createKernel({ seed: 1 });
  const relay = kernel.process("relay");
  let queues = 1;
  look(relay);
  look(relay);
  const sound = await timersAtRest(kernel, () => queues);
  expect(sound).toEqual(new Map([["relay", { fewest: 1, most: 1 }]]));
  queues = 2;
  look(relay);
  expect(leakedTimers(sound, await timersAtRest(kernel, () => queues))).toEqual([]);
  look(relay);
  expect(leakedTimers(sound, await timersAtRest(kernel, () => queues))).toEqual([
    "relay has 2 timers at rest instead of 1",
  ]);
});
