import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { reservedBy } from "./machines.ts";
import type { Oracle } from "./oracle.ts";
import { onWrite } from "./sent-write.ts";

/** The name of the owner, and behind it what follows from the owner: a number or words. */
const SUFFIX = /^(-\d+|-[a-z]+)*$/;
const CREATED = 201;

/** Objects that functions make: F-09. */
export const creations: readonly Oracle[] = [
  {
    number: "F-09",
    title: "names of created objects follow from their owner, so that none is made twice",
    watch({ world, onChange, violated, evaluated }) {
      const reserved = new Set<string>();
      onChange(({ after }) => {
        for (const name of reservedBy(after)) reserved.add(name);
      });
      onWrite(world, ({ code, verb, place, run, answer, title }) => {
        if (code !== CREATED || (verb !== "create" && verb !== "apply") || place.subresource !== "") return;
        // F-49: the name of a set follows from more than the name of its deployment.
        if (place.type === "cluster.x-k8s.io/machinesets") return;
        const owner = parseKey(run?.key ?? "")?.name;
        const name = answer?.metadata.name ?? "";
        if (owner === undefined) return;
        evaluated();
        const isDerived = name.startsWith(owner) && SUFFIX.test(name.slice(owner.length));
        if (!isDerived && !reserved.has(name)) violated(`${name} does not follow from ${owner}: ${title}`);
      });
    },
  },
];
