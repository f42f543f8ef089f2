import { machine } from "node:os";
import { machinepoolBench } from "./machinepool.ts";
import { queueBench } from "./queue.ts";

const BENCHES: { readonly [name: string]: () => Promise<void> } = {
  machinepool: machinepoolBench,
  queue: queueBench,
};

const [name = ""] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(" | ")}`);
  process.exitCode = 2;
} else {
  console.log(`${name} on ${machine()}, Node.js ${process.version}`);
  await bench();
}
