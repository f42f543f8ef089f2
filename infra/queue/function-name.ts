const FUNCTION_NAME = /^[a-z0-9-]{1,63}$/;

/**
 * Returns a valid function name; throws TypeError for any other text: names become part of Redis keys and queue names.
 */
export function checkFunctionName(name: string): string {
  if (!FUNCTION_NAME.test(name))
    throw new TypeError(
      `function name ${JSON.stringify(name.slice(0, 80))} is not valid; use [a-z0-9-]{1,63}`,
    );
  return name;
}
