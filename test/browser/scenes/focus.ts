import type { Page } from "playwright-core";

/** Waits until the button of this name has the focus. */
export async function buttonHasFocus(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).and(page.locator(":focus")).waitFor();
}
