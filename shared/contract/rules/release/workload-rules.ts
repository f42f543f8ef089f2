import { textAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, type Place, pass, unknown, warn } from "../rule.ts";
import { containersOf, flagOf, MANAGER, managerOf } from "./containers.ts";
import { parseImage } from "./image.ts";
import { providerOf } from "./provider-label.ts";
import {
  CLUSTERCTL_BOOK,
  onComponents,
  onObjects,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
  unresolvedIn,
} from "./release-rule.ts";
import type { ManifestDocument, ReleaseFile } from "./subject.ts";

const OTHERS: ReadonlySet<string> = new Set([
  "CronJob",
  "DaemonSet",
  "Job",
  "Pod",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
]);
const WITH_IMAGES = ["Deployment", "DaemonSet"];
const OBJECTS = "cmd/clusterctl/internal/util/objs.go";

/** Rules on the workloads of the components and the flags of the controllers. */
export const WORKLOAD_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-18",
    level: "MUST",
    sentence: "Every controller runs as a Deployment",
    effect:
      "clusterctl neither waits for the workload nor scales it down before an upgrade; image overrides reach DaemonSets, no other kind",
    source: CLUSTERCTL_BOOK,
    check: onComponents((file) => {
      const others = file.documents.filter(({ value }) => OTHERS.has(textAt(value, "kind")));
      return orPass(
        others.map((document) => judgeOther(document, placeOf(file, document))),
        placeOfFile(file),
      );
    }),
  }),
  releaseRule({
    id: "CTL-19",
    level: "MUST",
    sentence: "The container of a controller is named manager",
    effect: "clusterctl init --wait-providers waits only for Deployments with a container of this name",
    source: OBJECTS,
    check: onObjects(["Deployment"], (document, at, file) => judgeManager(document, at, file)),
  }),
  releaseRule({
    id: "CTL-20",
    level: "MUST",
    sentence: "Images of Deployments and DaemonSets name registry host and path",
    effect: "clusterctl refuses the components: repository name must be canonical",
    source: "util/container/image.go",
    check: onObjects(WITH_IMAGES, ({ value }, at, file) =>
      containersOf(value).map((container) => {
        const found = textAt(container.value, "image");
        const details = { at, path: `${container.path}.image`, found };
        if (parseImage(found) !== undefined) return pass(details);
        const variables = unresolvedIn(found, file);
        if (variables.length > 0)
          return unknown(`the value of ${variables.join(", ")} decides this: --variables`, { at });
        return fail({ ...details, expected: "host/path:tag" });
      }),
    ),
  }),
  releaseRule({
    id: "CTL-21",
    level: "SHOULD",
    sentence: "Images have a tag or a digest and no variable",
    effect:
      "Without a tag the newest image runs; with a variable clusterctl generate provider --describe cannot read it",
    source: "cmd/clusterctl/client/config/imagemeta_client.go",
    check: onObjects(WITH_IMAGES, ({ value }, at, file) =>
      containersOf(value).map((container) => {
        const found = textAt(container.value, "image");
        const details = { at, path: `${container.path}.image`, found };
        if (hasVariable(found, file)) return warn({ ...details, expected: "no variable" });
        const image = parseImage(found);
        if (image === undefined) return na("the image is not canonical", { at });
        const isFixed = image.tag !== undefined || image.digest !== undefined;
        return isFixed ? pass(details) : warn({ ...details, expected: "a tag or a digest" });
      }),
    ),
  }),
  releaseRule({
    id: "CTL-22",
    level: "MUST",
    sentence: "A controller takes --namespace and watches all namespaces as it is shipped",
    effect:
      "clusterctl always installs controllers that watch all namespaces and has no means to change the flag",
    source: CLUSTERCTL_BOOK,
    check: onManagers((found, details) => {
      if (found === "") return pass(details);
      if (found.includes("$("))
        return unknown("a running provider (A4) decides the value", { at: details.at });
      return fail({ ...details, expected: "--namespace= without a value" });
    }, "namespace"),
  }),
  releaseRule({
    id: "CTL-23",
    level: "SHOULD",
    sentence: "A controller takes --watch-filter",
    effect: "Two instances of the provider cannot share a management cluster",
    source: CLUSTERCTL_BOOK,
    check: onManagers((_found, details) => pass(details), "watch-filter"),
  }),
];

function judgeOther({ value }: ManifestDocument, at: Place): Judgement {
  const details = { at, path: "kind", found: textAt(value, "kind"), expected: "Deployment" };
  // An agent of the nodes is not a controller.
  return managerOf(value) === undefined ? warn(details) : fail(details);
}

function judgeManager({ value }: ManifestDocument, at: Place, file: ReleaseFile): readonly Judgement[] {
  const details = { at, path: "spec.template.spec.containers" };
  if (managerOf(value) !== undefined) return [pass({ ...details, found: MANAGER })];
  const hasOther = file.documents.some(
    (each) => textAt(each.value, "kind") === "Deployment" && managerOf(each.value) !== undefined,
  );
  if (hasOther)
    return [unknown("a running provider (A4) decides whether this Deployment has a controller", { at })];
  const found = containersOf(value).map(({ name }) => name);
  return [fail({ ...details, found: found.join(", "), expected: MANAGER })];
}

/** A variable with a value or default is left in the source only: in a line with what stands around it. */
function hasVariable(image: string, file: ReleaseFile): boolean {
  if (unresolvedIn(image, file).length > 0) return true;
  return [...file.text.matchAll(IMAGE_WITH_VARIABLE)].some(([, before = "", after = ""]) => {
    return image.startsWith(before) && image.endsWith(after);
  });
}

/** Its text before and behind all variables. */
const IMAGE_WITH_VARIABLE =
  /\bimage:[ \t]{0,100}["']?([^"'\s$]{0,1000})\$\{[^\n]{0,1000}\}([^"'\s}]{0,1000})/g;

interface FlagDetails {
  readonly at: Place;
  readonly path: string;
  readonly found: string;
}

/** Judges a flag of each manager container; its absence is a warning that the binary itself decides. */
function onManagers(
  judge: (value: string, details: FlagDetails) => Judgement,
  flag: string,
): ReleaseRule["check"] {
  return onComponents((file, { label }) => {
    if (providerOf(label)?.type === "runtime-extension") return [na("a runtime extension has no controller")];
    const managers = file.documents.flatMap((document) => {
      const manager = textAt(document.value, "kind") === "Deployment" ? managerOf(document.value) : undefined;
      return manager === undefined ? [] : [{ manager, at: placeOf(file, document) }];
    });
    if (managers.length === 0)
      return [na("no Deployment has a container manager", { at: placeOfFile(file) })];
    return managers.map(({ manager, at }) => {
      const path = `${manager.path}.args`;
      const found = flagOf(manager, flag);
      if (found !== undefined) return judge(found, { at, path, found: `--${flag}=${found}` });
      const effect = `The help of the image decides whether it has the flag (A4)`;
      return warn({ at, path, found: `no --${flag}`, expected: `--${flag}=`, effect });
    });
  });
}
