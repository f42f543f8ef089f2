const FUNCTION_NAME = /^[a-z0-9-]{1,63}$/;

/** Function names become part of Redis keys and of queue names, so nothing else may get in. */
export function checkFunctionName(name: string): string {
  if (!FUNCTION_NAME.test(name))
    throw new TypeError(`function name ${JSON.stringify(name.slice(0, 80))} is not [a-z0-9-]{1,63}`);
  return name;
}
