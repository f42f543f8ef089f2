import type { Oracle } from "./oracle.ts";
import { onWrite } from "./sent-write.ts";

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";
const CONTRACT_LABEL = /^cluster\.x-k8s\.io\/v1beta[12]$/;

/** Provider kinds: F-45. */
export const contracts: readonly Oracle[] = [
  {
    number: "F-45",
    title: "a core function writes to no kind that claims no contract",
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ place, functionName, title, server }) => {
        const isProvider = place.type.startsWith("infrastructure.") || place.type.startsWith("bootstrap.");
        if (server !== world.management.address || !isProvider || functionName.startsWith("sim-")) return;
        evaluated();
        const [group, plural] = place.type.split("/");
        const definition = world.management.storage.collection(DEFINITIONS).find(`/${plural}.${group}`);
        const labels = Object.keys(definition?.metadata.labels ?? {});
        if (!labels.some((label) => CONTRACT_LABEL.test(label))) violated(title);
      });
    },
  },
];
