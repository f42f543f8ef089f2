import { spawnSync } from "node:child_process";

/** Programs that the tests need, each of Debian's package of the same name. */
const PROGRAMS = ["redis-server", "prometheus", "crun", "buildah"];

/** Runs `npm run setup`: installs what is missing of PROGRAMS from Debian's packages. */
function setUp(): void {
  const missing = PROGRAMS.filter((program) => !has(program));
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
