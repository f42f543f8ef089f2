import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./support/longest-first.ts";
import { kubernetesAssets } from "./support/processes/kubernetes-assets.ts";
import { retriedReporter } from "./support/retried-reporter.ts";
import { skippedReporter } from "./support/skipped-reporter.ts";

interface How {
  readonly exclude?: string[];
  /** Every file has modules of its own. */
  readonly isolate?: boolean;
  readonly retry?: number;
}

/** Of a test that hangs: no machine is so slow. Longer than HANG_MS of support/eventually.ts, which knows more. */
const TIMEOUT_MS = 10 * 60_000;

const project = (name: string, include: string[], { exclude = [], isolate = true, retry = 0 }: How = {}) => ({
  extends: true as const,
  test: { name, include, exclude, isolate, retry, testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS },
});

/**
 * The test of an added kind changes the table of traits, so it has modules of its own. The others are not part of the
 * quick gate: thousands of sequences and letters, hostile worlds and requests, killed processes, cut
 * connections, other programs, and the suite of the queue on drivers whose time is real (bullmq alone stays).
 */
const LONG = [
  "test/invariants/added-kind.test.ts",
  "test/{infra,functions,shared}/**/*-{model,outages,chaos,fuzz,cluster,as-test}.test.ts",
  "test/{infra,functions,shared}/**/hostile*.test.ts",
  "test/infra/**/{differential,build,image,kubectl*}.test.ts",
  "test/infra/queue/letters/limits.test.ts",
  "test/infra/queue/backends/sqs/sqs.test.ts",
  "test/infra/queue/backends/redis/server/rights.test.ts",
];

/**
 * Not part of `npm test` either, which they would make twice as long: the image and all components of the
 * manifests, other programs and versions as peers, many persons and Clusters in a browser, a contract broken in many
 * ways, processes and tenants that do anything, and the simulation at length. `npm run test:night` runs them.
 */
const NIGHT = [
  "test/browser/{accessible,hostile,living-fleet,living-letters,living-queue,many-tabs,play-seed,two-persons}.test.ts",
  "test/infra/deploy/image/image.test.ts",
  "test/simulation/{readme,play/regression,play/sweep,play/swarm,real/real,oracles/planted}.test.ts",
];
const NIGHT_SYSTEM = [
  "test/system/clusterctl-{cluster,describe,foreign,install,move,move-plan,readme,upgrade}.test.ts",
  "test/system/{beside-cluster-api,chart,cluster-templates,console-trust,contract-live}.test.ts",
  "test/system/{contract-probe,contract-probe-cluster-api,diagnosis,explain,kubeadm-life}.test.ts",
  "test/system/{health-checks,health-checks-restart,health-reported,hostile-tenants,kubeconfig}.test.ts",
  "test/system/{kustomize,lambda,listeners,machine-drain,machinepool-hostile,machines-cluster}.test.ts",
  "test/system/{manager,observation,pool-machines-foreign,rights-used,takeover}.test.ts",
  "test/system/{takeover-rollout,upgrade,v1beta1,webhook-account,workload-relays}.test.ts",
];

/**
 * In CI, a test of real processes, sockets and timers on two busy cores that fails is run once more; the end of the run
 * lists it with its first failure, to be mended.
 */
const RETRY = process.env["CI"] === undefined ? 0 : 1;

const CACHE = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");

const UNIT = ["functions", "shared", "invariants", "support"].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Infra and system tests mostly wait for servers, not for a core.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Test processes, the command line and workers are started a hundred times: each reads what the first has compiled.
    env: {
      NODE_COMPILE_CACHE: join(tmpdir(), "capstan-compile-cache"),
      ...kubernetesAssets(process.env["CAPSTAN_KUBERNETES"], join(CACHE, "capstan")),
    },
    // Node loads tests as it loads Capstan; no test replaces a module. Through Vite each use of an import is a call.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    root: new URL("..", import.meta.url).pathname,
    reporters: ["default", skippedReporter, retriedReporter],
    setupFiles: ["test/support/seeded.ts", "test/support/compiled.ts"],
    projects: [
      // No module that they import keeps a state, so they share their modules.
      project("unit", UNIT, { exclude: LONG, isolate: false }),
      project("infra", ["test/infra/**/*.test.ts"], {
        exclude: [...LONG, ...NIGHT],
        isolate: false,
        retry: RETRY,
      }),
      project("long", LONG, { exclude: NIGHT, retry: RETRY }),
      project("simulation", ["test/simulation/**/*.test.ts"], { exclude: NIGHT, retry: RETRY }),
      project("system", ["test/system/**/*.test.ts"], { exclude: NIGHT_SYSTEM, retry: RETRY }),
      project("browser", ["test/browser/**/*.test.ts"], { exclude: NIGHT, retry: RETRY }),
      project("night", NIGHT, { retry: RETRY }),
      project("night-system", NIGHT_SYSTEM, { retry: RETRY }),
    ],
    coverage: { provider: "v8", include: ["functions/**/*.ts", "shared/**/*.ts"] },
  },
});
