import { userInfo } from "node:os";

/** Returns the user for the audit log: dead letters are released and removed by people. */
export function callerName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
