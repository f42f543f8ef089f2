import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { managerDeployment } from "../../../infra/deploy/deployment.ts";
import { CORE } from "../../../infra/deploy/providers.ts";
import { eventually } from "../eventually.ts";
import type { Process } from "../image-layout.ts";
import { spawnChild } from "./spawn-child.ts";

/** The profile that containerd and CRI-O take for `RuntimeDefault`, in the form of Debian's package. */
const SECCOMP = "/usr/share/containers/seccomp.json";
const WITHIN = { withinMs: 30_000 };

/** Why crun cannot start a container here; undefined when it can. */
export function crunMissing(): string | undefined {
  if (spawnSync("crun", ["--version"]).status !== 0) return "no crun; npm run setup";
  if (!existsSync(SECCOMP)) return `no ${SECCOMP}; npm run setup`;
  return process.getuid?.() === 0 ? undefined : "crun is started as root here; run the tests as root";
}

/** A container whose first process runs. Disposing kills it. */
export interface Container extends AsyncDisposable {
  /** Both streams so far. */
  output(): string;
  /** Milliseconds from the start of crun to the first output. */
  readonly spokeMs: Promise<number>;
  /** Exit code of the first process. */
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): Promise<void>;
  /** Process id on this machine. */
  pid(): Promise<number>;
}

interface ContainerOptions {
  /** Folder with the files of the image; it stays as it is. */
  readonly root: string;
  readonly args: readonly string[];
  readonly image: Process;
  /** Takes the place of the entry point of the image. */
  readonly command?: readonly string[];
  /** Folder that becomes /tmp, as a volume of a Pod; without it there is none. */
  readonly tmp?: string;
  /** Further volumes, read-only: files or folders of this machine by their place in the container. */
  readonly volumes?: { readonly [place: string]: string };
  readonly env?: readonly string[];
  /** Default: that of all manifests. */
  readonly context?: SecurityContext;
  /** File of the network namespace that it starts in; default: that of this machine. */
  readonly network?: string;
}

/** Starts an image with crun as a kubelet does with a security context. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const bundle = await mkdtemp(join(tmpdir(), "capstan-bundle-"));
  // crun adds the folders that it mounts on.
  execFileSync("cp", ["--archive", "--link", options.root, join(bundle, "rootfs")]);
  await writeFile(join(bundle, "config.json"), JSON.stringify(specOf(options)));
  const id = `capstan-${randomUUID()}`;
  const pidFile = join(bundle, "pid");
  // crun does not know machines with control groups of both versions, and the container needs none.
  const script = 'mount -t tmpfs none /sys/fs/cgroup && exec crun --cgroup-manager=disabled run "$@"';
  const run = ["--bundle", bundle, "--pid-file", pidFile, id];
  const child = spawnChild("unshare", ["--mount", "sh", "-c", script, "sh", ...run], {
    stdio: ["ignore", "pipe", "pipe"],
  }) as ChildProcess;
  const startedAt = performance.now();
  const spokeMs = once(child.stdout ?? child, "data").then(() => performance.now() - startedAt);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (part: Buffer) => {
      output += part.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const pid = () =>
    eventually(
      async () => Number(await readFile(pidFile, "utf8")) || Promise.reject(new Error(output)),
      WITHIN,
    );
  const signal = async (name: NodeJS.Signals) => void process.kill(await pid(), name);
  return {
    output: () => output,
    spokeMs,
    ended,
    pid,
    signal,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await signal("SIGKILL");
      await ended;
      spawnSync("crun", ["delete", "--force", id]);
      await rm(bundle, { recursive: true, force: true });
    },
  };
}

/** Runs a command in a container to its end. */
export async function runContainer(
  options: ContainerOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  await using container = await startContainer(options);
  return { code: await container.ended, output: container.output() };
}

/** A folder that every user may write, as an emptyDir. */
export async function emptyDir(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-volume-"));
  await chmod(folder, 0o777);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

export interface SecurityContext {
  readonly allowPrivilegeEscalation: boolean;
  readonly capabilities: { readonly drop: readonly string[] };
  readonly readOnlyRootFilesystem: boolean;
  readonly runAsUser: number;
  readonly seccompProfile: { readonly type: string };
}

/** The security context of the manifests. */
function securityContext(): SecurityContext {
  const { spec } = managerDeployment(CORE, "capstan") as unknown as {
    spec: { template: { spec: { containers: readonly [{ securityContext: SecurityContext }] } } };
  };
  return spec.template.spec.containers[0].securityContext;
}

/** The runtime configuration of the OCI that a kubelet's runtime makes of image and security context. */
function specOf(options: ContainerOptions): object {
  const { args, command, image, tmp, volumes = {}, env = [], network } = options;
  const { context = securityContext() } = options;
  const capabilities = context.capabilities.drop.includes("ALL") ? [] : ["CAP_CHOWN", "CAP_SETUID"];
  const sets = ["bounding", "effective", "inheritable", "permitted", "ambient"];
  const mounts = [
    ...(tmp === undefined ? [] : [{ destination: "/tmp", source: tmp, options: ["bind", "rw"] }]),
    ...Object.entries(volumes).map(([destination, source]) => {
      return { destination, source, options: ["bind", "ro"] };
    }),
  ].map((mount) => ({ ...mount, type: "bind" }));
  return {
    ociVersion: "1.0.0",
    process: {
      user: { uid: context.runAsUser, gid: context.runAsUser },
      args: [...(command ?? image.Entrypoint), ...args],
      env: [...image.Env, ...env],
      cwd: image.WorkingDir,
      capabilities: Object.fromEntries(sets.map((set) => [set, capabilities])),
      noNewPrivileges: !context.allowPrivilegeEscalation,
    },
    root: { path: "rootfs", readonly: context.readOnlyRootFilesystem },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=64k"] },
      ...mounts,
    ],
    linux: {
      namespaces: [
        ...["pid", "ipc", "uts", "mount"].map((type) => ({ type })),
        ...(network === undefined ? [] : [{ type: "network", path: network }]),
      ],
      seccomp: context.seccompProfile.type === "RuntimeDefault" ? runtimeDefault() : undefined,
    },
  };
}

interface SeccompProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet: number;
  readonly syscalls: readonly {
    readonly includes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] };
    readonly excludes?: { readonly caps?: readonly string[]; readonly arches?: readonly string[] };
  }[];
}

/** The rules for a container on amd64 without capabilities. */
function runtimeDefault(): object {
  const { defaultAction, defaultErrnoRet, syscalls } = JSON.parse(
    readFileSync(SECCOMP, "utf8"),
  ) as SeccompProfile;
  const applies = syscalls.filter(
    ({ includes, excludes }) =>
      (includes?.caps ?? []).length === 0 &&
      (includes?.arches ?? ["amd64"]).includes("amd64") &&
      !(excludes?.arches ?? []).includes("amd64"),
  );
  return {
    defaultAction,
    defaultErrnoRet,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
    syscalls: applies.map(({ includes: _in, excludes: _ex, ...rule }) => rule),
  };
}
