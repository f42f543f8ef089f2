import { type Command, InvalidArgumentError, Option } from "commander";
import type { ContractVersion } from "../../../shared/api/kinds.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { printError } from "../../platform/terminal/print.ts";
import type { ReleaseName } from "../../providers/clusterctl/release/read-release.ts";
import type { Values } from "../../providers/clusterctl/render/typed.ts";
import type { Outcome } from "../../providers/contract/finding.ts";
import { addJudgingOptions, type JudgingOptions, printReport } from "./print-report.ts";

interface CheckCommandOptions extends JudgingOptions {
  readonly variables?: string;
  readonly release?: ReleaseName;
  readonly assume: ContractVersion;
  readonly live?: boolean;
  readonly namespace?: string;
  readonly kubeconfig?: string;
}

const EXAMPLES = `
A folder with metadata.yaml or components is a release. As with clusterctl, its path ends in <label>/<version>, where the
label is cluster-api, or bootstrap-, control-plane-, infrastructure-, ipam-, runtime-extension- or addon- with the name of
the provider. A folder with other names, such as one of downloads, is judged by the labels and the newest series of its
files, or as --release says. capstan contract explain RULE says what a rule asks for and what follows where it is broken.

Exit status: 0 every MUST is kept, 1 one is broken, 2 an input cannot be read or the call is wrong.

Examples:
  capstan contract check config/crd
  capstan contract check out/infrastructure-foo/v1.2.0 --fail-on warn
  capstan contract check downloads --release infrastructure-foo/v1.2.0
  kubectl get crd foomachinepools.infrastructure.cluster.x-k8s.io -o yaml | capstan contract check -
  capstan contract check config/crd -o sarif > contract.sarif
  capstan contract check --live -n default`;

export function checkCommand(command: Command): Command {
  return addJudgingOptions(command)
    .argument(
      "[path...]",
      "file, folder (with the labels of its kustomization.yaml), release, or - for stdin",
    )
    .addOption(
      new Option("--assume <contract>", "contract of a CRD without a contract label")
        .choices(["v1beta2", "v1beta1"])
        .default("v1beta2"),
    )
    .option("--live", "judge the CRDs and objects of a cluster instead of files; only reads")
    .option("-n, --namespace <name>", "with --live: judge the objects of one namespace (default: all)")
    .option("--kubeconfig <file>", "with --live (default: KUBECONFIG, in-cluster files, ~/.kube/config)")
    .addOption(
      new Option(
        "--release <label/version>",
        "label and version of a release whose folders are not named after them",
      ).argParser(parseReleaseName),
    )
    .option("--variables <file>", "values of variables in releases, in the form of clusterctl.yaml")
    .addHelpText("after", EXAMPLES)
    .action(async (paths: readonly string[], options: CheckCommandOptions) => {
      process.exitCode = await check(paths, options);
    });
}

function parseReleaseName(text: string): ReleaseName {
  const [, label, version] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (label === undefined || version === undefined)
    throw new InvalidArgumentError("give label and version, such as infrastructure-foo/v1.2.0");
  return { label, version };
}

async function check(paths: readonly string[], options: CheckCommandOptions): Promise<number> {
  const wrong = wrongCall(paths, options);
  if (wrong !== undefined) return refuse(wrong);
  const outcome = await judged(paths, options);
  if (typeof outcome === "string") return refuse(outcome);
  return await printReport(outcome, options);
}

function refuse(message: string): number {
  printError(message);
  return 2;
}

function wrongCall(
  paths: readonly string[],
  { live = false, namespace, kubeconfig }: CheckCommandOptions,
): string | undefined {
  if (live) return paths.length === 0 ? undefined : "--live judges a cluster; leave out the paths or --live";
  if (namespace !== undefined || kubeconfig !== undefined)
    return "a namespace or kubeconfig is for --live only; add --live";
  return paths.length === 0 ? "nothing to judge; name files or folders, or add --live" : undefined;
}

function judging({ as: named, waive: waivers, assume: assumed }: CheckCommandOptions) {
  return { named, waivers, assumed, now: systemClock.now() };
}

async function checkFiles(paths: readonly string[], options: CheckCommandOptions): Promise<Outcome> {
  const [{ checkPaths }, { refusedDefinition: whyRefused }] = await Promise.all([
    import("../../providers/contract/check.ts"),
    import("../../playground/apiserver/entry.ts"),
  ]);
  const values = await valuesOf(options);
  return checkPaths(paths, { ...judging(options), values, releaseName: options.release, whyRefused });
}

async function checkServer(options: CheckCommandOptions): Promise<Outcome> {
  const { checkCluster } = await import("../../providers/contract/live/check-cluster.ts");
  const { openForeignServer } = await import("../management.ts");
  using server = await openForeignServer(options.kubeconfig, systemClock);
  const { namespace } = options;
  return await checkCluster({ server, clock: systemClock, namespace }, judging(options));
}

/** Returns the message where a cluster or the file of variables cannot be read. */
async function judged(paths: readonly string[], options: CheckCommandOptions): Promise<Outcome | string> {
  try {
    return await (options.live === true ? checkServer(options) : checkFiles(paths, options));
  } catch (error) {
    return messageOf(error);
  }
}

async function valuesOf({ variables }: CheckCommandOptions): Promise<Values> {
  const { NO_VALUES, readValues } = await import("../../providers/clusterctl/render/typed.ts");
  return variables === undefined ? NO_VALUES : readValues(variables);
}
