/** One package of package-lock.json, in version 3 of the format. */
export interface LockedPackage {
  readonly version?: string;
  /** Absent where npm is to ask its registry for the address. */
  readonly resolved?: string;
  /** `sha512-…`: the hash of the archive. */
  readonly integrity?: string;
  readonly license?: string;
  /** Needed by development only. */
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Packages by their folder, `node_modules/zod`; the project itself is the empty one. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const REGISTRY = "https://registry.npmjs.org/";
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/**
 * Packages that are locked without integrity, because the registry that made the lock does not have them (and npm
 * leaves it out for platforms of others: npm/cli 4828). All are optional and for platforms on which Capstan
 * is neither built nor tested. One that gets its integrity leaves the list.
 */
const WITHOUT_INTEGRITY: Readonly<Record<string, readonly string[]>> = {
  "@biomejs/cli-": [
    ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "linux-arm64-musl", "linux-x64-musl"],
    ...["win32-arm64", "win32-x64"],
  ],
  "@msgpackr-extract/msgpackr-extract-": ["darwin-arm64", "darwin-x64", "linux-arm", "win32-x64"],
  "@oxc-parser/binding-": [
    ...["android-arm-eabi", "android-arm64", "darwin-arm64", "darwin-x64", "freebsd-x64"],
    ...["linux-arm-gnueabihf", "linux-arm-musleabihf", "linux-ppc64-gnu", "linux-riscv64-gnu"],
    ...["linux-riscv64-musl", "linux-s390x-gnu", "openharmony-arm64"],
    ...["win32-arm64-msvc", "win32-ia32-msvc", "win32-x64-msvc"],
  ],
};
const EXCUSED = Object.entries(WITHOUT_INTEGRITY).flatMap(([prefix, platforms]) =>
  platforms.map((platform) => `node_modules/${prefix}${platform}`),
);

/** Licences that ask for nothing but to be named. */
const LICENCES = new Set([
  ...["0BSD", "Apache-2.0", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0", "Unlicense"],
  ...["(Apache-2.0 AND BSD-3-Clause)", "MIT OR Apache-2.0"],
]);
/** Also of tools that no user of Capstan gets. */
const LICENCES_OF_TOOLS = new Set([...LICENCES, "MPL-2.0"]);

/** `node` puts the binary in place; the other one compiles what has a JavaScript twin, and package.json forbids it. */
const WITH_SCRIPT = ["node_modules/msgpackr-extract", "node_modules/node"];

/** Returns what is wrong with a lockfile, one line each. */
export function lockfileProblems(packages: LockedPackages): readonly string[] {
  const installed = Object.entries(packages).filter(([folder]) => folder !== "");
  const gone = EXCUSED.filter((folder) => packages[folder]?.integrity !== undefined || !(folder in packages));
  return [
    ...installed.flatMap(([folder, found]) => problemsOf(folder, found).map((text) => `${folder} ${text}`)),
    ...gone.map((folder) => `${folder} needs no excuse: take it off the list in test/support/lockfile.ts`),
  ];
}

function problemsOf(folder: string, found: LockedPackage): readonly string[] {
  const { resolved = REGISTRY, integrity, license = "none", version = "" } = found;
  const isExcused = found.optional === true && EXCUSED.includes(folder);
  const licences = found.dev === true ? LICENCES_OF_TOOLS : LICENCES;
  const checks: readonly (readonly [boolean, string])[] = [
    [found.link !== true && found.inBundle !== true, "is not an archive of its own"],
    [resolved.startsWith(REGISTRY), `comes from ${resolved}`],
    [integrity !== undefined || isExcused, "has no integrity"],
    [
      integrity === undefined || SHA512.test(integrity),
      `has the integrity ${integrity}, which is not one SHA-512`,
    ],
    [/^\d+\.\d+\.\d+/.test(version), "has no version"],
    [licences.has(license), `has the licence ${license}`],
    [found.hasInstallScript !== true || WITH_SCRIPT.includes(folder), "runs a script when it is installed"],
  ];
  return checks.filter(([isRight]) => !isRight).map(([, problem]) => problem);
}
