import type { Page } from "playwright-core";

/** Confirms an action by the keyboard: the dialog opens with the focus on the button that cancels. */
export async function confirm(page: Page): Promise<void> {
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
}
