import { spawnSync } from "node:child_process";

/**
 * Runs `npm run setup`: installs redis-server, which the tests need, from Debian's packages. Does nothing
 * when it is there.
 */
function setUp(): void {
  if (has("redis-server")) return;
  if (!has("apt-get")) {
    fail(
      "redis-server is missing and this machine is not a Debian; install Redis 7 or newer with your package manager",
    );
  }
  const root = process.getuid?.() === 0;
  if (!root && !has("sudo")) fail("redis-server is missing; run as root: apt-get install --yes redis-server");
  const apt = (...args: string[]): boolean => {
    const [command, ...rest] = root ? ["apt-get", ...args] : ["sudo", "apt-get", ...args];
    // Debian starts a service on installation, which would get in the way of the tests.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    return spawnSync(command ?? "", rest, { stdio: "inherit", env }).status === 0;
  };
  const install = ["install", "--yes", "--no-install-recommends", "redis-server"];
  if (apt(...install) || (apt("update") && apt(...install))) return;
  fail("apt-get could not install redis-server; its output above says why");
}

function has(binary: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${binary}`], { stdio: "ignore" }).status === 0;
}

function fail(message: string): never {
  console.error(`setup: ${message}`);
  process.exit(1);
}

setUp();
