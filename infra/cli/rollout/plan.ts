import { type Command, Option } from "commander";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { toV1beta2 } from "../../../shared/api/older/to-v1beta2.ts";
import { unlikeParts } from "../../../shared/rules/rollout/same-rollout.ts";
import type { RolloutFacts } from "../../../shared/rules/rollout/standstill.ts";
import { readBlockers } from "../../operate/rollout/read-rollout.ts";
import {
  type ReportedStandstill,
  type RolloutReport,
  rolloutReport,
} from "../../operate/rollout/rollout-report.ts";
import { rolloutText } from "../../operate/rollout/rollout-text.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { print, printJson } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { outputOption } from "../options.ts";
import { causeLines } from "../tree/lines.ts";
import { type Manifest, readManifests } from "../up/apply-manifests.ts";
import { addDeploymentArgument, type DeploymentOptions, openRollout } from "./deployment-argument.ts";

interface PlanOptions extends DeploymentOptions {
  readonly set: readonly string[];
  readonly file?: string;
  readonly newMachines: "available" | "never";
  readonly output: string;
}

/** The exit code for scripts: Machines would be made, replaced or deleted, or the rollout is not done. */
const ROLLS_OUT = 2;

const EXAMPLES = `
Examples:
  capstan rollout plan default/md
  capstan rollout plan default/md --set version=v1.32.0
  capstan rollout plan machinedeployment/md -n default -f changed.yaml -o json

Only reads. Each step is what one plan changes; Machines are named in the order in which their set deletes them. Exit
status: 0 nothing to do, 2 it would roll out, 1 it cannot: a template is missing, or the deployment cannot be read.`;

export function planCommand(command: Command): Command {
  return addDeploymentArgument(command)
    .option(
      "--set <field=value>",
      `plan with another value, several times: ${SETTABLE.join(", ")}`,
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option("-f, --file <file>", "plan with the MachineDeployment of this manifest")
    .addOption(
      new Option(
        "--new-machines <how>",
        "whether new Machines become available: never shows where a broken template stops",
      )
        .choices(["available", "never"])
        .default("available"),
    )
    .addOption(outputOption("text", "json"))
    .addHelpText("after", EXAMPLES)
    .action(async (named: string, options: PlanOptions) => {
      process.exitCode = await runPlan(named, options);
    });
}

async function runPlan(named: string, options: PlanOptions): Promise<number> {
  using rollout = await openRollout(named, options);
  const present = await rollout.read();
  const { file } = options;
  const manifests = file === undefined ? [] : await readManifests(file);
  const ofFile = file === undefined ? present.deployment : withManifest(present.deployment, manifests, file);
  const changed = { ...present, deployment: withFields(ofFile, options.set) };
  const blockers = await readBlockers(rollout.client, changed.deployment);
  const report = rolloutReport(changed, blockers, options.newMachines);
  if (options.output === "json") printJson(report);
  else print(...changeLines(present, changed), ...rolloutLines(report));
  if (report.end === "blocked") return 1;
  return report.steps.length > 0 || report.end !== "done" ? ROLLS_OUT : 0;
}

/** Returns a rollout for people: limits, what holds it up, each step with its Machines, and how it ends. */
export function rolloutLines(report: RolloutReport): readonly string[] {
  const { object, standsStill, startsAt } = report;
  const { limits, rows, summary } = rolloutText(report);
  return [
    `${bold(object.slice(object.indexOf(" ") + 1))}: ${limits}`,
    ...(standsStill === undefined ? [] : standstillLines(standsStill)),
    ...(startsAt === undefined ? [] : [paint("yellow", `! begins at ${startsAt}: spec.rollout.after`)]),
    ...blockerLines(report),
    ...tableLines(
      ["", "", "", "", ""],
      rows.map((row) => ["", ...row]),
    ).slice(1),
    ...summary,
  ];
}

/** A rollout that waits for a Machine to start needs no person yet. */
function standstillLines({ cause, next, since, isHeld, isOverdue }: ReportedStandstill): readonly string[] {
  const isStuck = isHeld || isOverdue;
  const when = since === undefined ? "" : ` since ${since}`;
  return causeLines({
    cause: `${isStuck ? "stands still" : "waits"}${when}: ${cause}`,
    next: isStuck ? next : "",
    severity: isOverdue ? "broken" : "held",
  });
}

function blockerLines({ blockers: { missing, checks }, end, newSet }: RolloutReport): readonly string[] {
  const red = (what: string) => (why: string) => paint("red", `! ${what}: ${why}`);
  if (end === "blocked") return missing.map(red("no MachineSet can be made, and no size changes"));
  return checks.map(red(`MachineSet ${newSet} would make no Machine`));
}

/** Says of a change whether it replaces Machines. */
function changeLines(present: RolloutFacts, { deployment }: RolloutFacts): readonly string[] {
  const [before, after] = [present.deployment, deployment];
  if (before === after || before.spec.template === after.spec.template) return [];
  const parts = unlikeParts(before.spec.template.spec, after.spec.template.spec);
  return parts.length === 0
    ? [paint("green", "The template changes in place: no Machine is replaced for it.")]
    : [`The template changes in ${parts.join(", ")}: Machines are replaced.`];
}

const SPEC = "spec.template.spec";
const ROLLING = "spec.rollout.strategy.rollingUpdate";
const NUMBER = /^\d{1,9}$/;

/** Fields that `--set` takes: a short name, and where its value stands. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    version: `${SPEC}.version`,
    failureDomain: `${SPEC}.failureDomain`,
    infrastructure: `${SPEC}.infrastructureRef.name`,
    bootstrap: `${SPEC}.bootstrap.configRef.name`,
    replicas: "spec.replicas",
    strategy: "spec.rollout.strategy.type",
    maxSurge: `${ROLLING}.maxSurge`,
    maxUnavailable: `${ROLLING}.maxUnavailable`,
    after: "spec.rollout.after",
    paused: "spec.paused",
  }),
);

/** Names that `--set` takes, for help and completion. */
const SETTABLE = [...FIELDS.keys()];

/** Returns a deployment with the values of `version=v1.32.0`. Throws when a field is not known. */
export function withFields(deployment: MachineDeployment, texts: readonly string[]): MachineDeployment {
  return texts.reduce((so, text) => {
    const at = text.indexOf("=");
    const path = FIELDS.get(text.slice(0, Math.max(at, 0)));
    if (path === undefined) {
      throw new Error(`--set ${text}: write FIELD=VALUE, where FIELD is one of ${SETTABLE.join(", ")}`);
    }
    return merged(so, nested(path.split("."), parsed(text.slice(at + 1))));
  }, deployment);
}

/** Returns a deployment with what a file says of it; fields that the file leaves out stay. Throws when it is not in it. */
export function withManifest(
  deployment: MachineDeployment,
  manifests: readonly Manifest[],
  file: string,
): MachineDeployment {
  const { name, namespace } = deployment.metadata;
  const found = manifests.find(
    ({ object: { kind, metadata } }) =>
      kind === deployment.kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace,
  );
  if (found === undefined) throw new Error(`${file} has no MachineDeployment ${namespace}/${name}`);
  const { spec } = toV1beta2(found.object).object as Partial<MachineDeployment>;
  return merged(deployment, { spec });
}

function parsed(text: string): string | number | boolean {
  if (NUMBER.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, member) => ({ [member]: inner }), value);
}

function merged<T>(before: T, change: unknown): T {
  if (!isObject(before) || !isObject(change)) return (change ?? before) as T;
  const members = Object.entries(change).map(([name, value]) => [
    name,
    Object.hasOwn(before, name) ? merged(Reflect.get(before, name), value) : value,
  ]);
  return { ...before, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
