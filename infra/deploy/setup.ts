import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

/** Programs that the tests need, and Debian's packages of them. */
const PACKAGES = {
  "redis-server": "redis-server",
  prometheus: "prometheus",
  crun: "crun",
  buildah: "buildah",
  ip: "iproute2",
  zsh: "zsh",
  fish: "fish",
  chromium: "chromium",
};

/** Judges the template for AWS; a Python program, in an environment of its own. */
const CFN_LINT = "cfn-lint==1.51.0";
const CFN_LINT_FOLDER = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan/cfn-lint");

/** Programs that are built from Go modules where Go is; tests that need one are left out by name elsewhere. */
const GO_MODULES = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.19.0",
  actionlint: "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12",
};
const TOOLS = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan/tools");

/** Runs `npm run setup`: installs what is missing of the programs. */
function setUp(): void {
  installPrograms();
  installCfnLint();
  buildGoPrograms();
}

function buildGoPrograms(): void {
  for (const [program, module] of Object.entries(GO_MODULES)) {
    if (has(program) || has(join(TOOLS, program)) || !has("go")) continue;
    console.log(`setup: building ${module} into ${TOOLS} (once, some minutes)`);
    const env = { ...process.env, GOBIN: TOOLS };
    const build = ["install", "-trimpath", "-ldflags=-s -w", module];
    if (spawnSync("go", build, { stdio: "inherit", env }).status !== 0) {
      fail(`go could not build ${module}; its output above says why`);
    }
  }
}

function installCfnLint(): void {
  const own = join(CFN_LINT_FOLDER, "bin");
  if (has("cfn-lint") || has(join(own, "cfn-lint"))) return;
  const run = (command: string, ...args: string[]): boolean =>
    spawnSync(command, args, { stdio: "inherit" }).status === 0;
  if (run("python3", "-m", "venv", CFN_LINT_FOLDER) && run(join(own, "pip"), "install", CFN_LINT)) return;
  fail(
    `python3 could not install ${CFN_LINT}; its output above says why (Debian: apt-get install python3-venv)`,
  );
}

/** Installs what is missing of PACKAGES. */
function installPrograms(): void {
  const missing = Object.entries(PACKAGES).flatMap(([program, name]) => (has(program) ? [] : [name]));
  if (missing.length === 0) return;
  const names = missing.join(" ");
  if (!has("apt-get")) {
    fail(`this machine is not a Debian; install with your package manager: ${names} (Redis 7 or newer)`);
  }
  const root = process.getuid?.() === 0;
  if (!root && !has("sudo")) fail(`run as root: apt-get install --yes ${names}`);
  const apt = (...args: string[]): boolean => {
    const [command, ...rest] = root ? ["apt-get", ...args] : ["sudo", "apt-get", ...args];
    // Debian starts a service on installation, which would get in the way of the tests.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    return spawnSync(command ?? "", rest, { stdio: "inherit", env }).status === 0;
  };
  const install = ["install", "--yes", "--no-install-recommends", ...missing];
  if (apt(...install) || (apt("update") && apt(...install))) return;
  fail(`apt-get could not install ${names}; its output above says why`);
}

function has(binary: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${binary}`], { stdio: "ignore" }).status === 0;
}

function fail(message: string): never {
  console.error(`setup: ${message}`);
  process.exit(1);
}

setUp();
