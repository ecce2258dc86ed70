import { fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { toast } from "#shared/ui/toast.ts";
import { anAccount } from "../testing/an-account.ts";
import { useValidate } from "./use-validate.ts";

const account = anAccount();
let api: TestApi;
beforeEach(async () => {
  toast.dismiss();
  signInForTest();
  api = await startApi({
    [`POST /api/v1/accounts/${account.id}/validate`]: {
      json: {
        success: true,
        validation_status: "valid",
        validation_timestamp: "2026-01-01T10:00:00.000Z",
        validation_message: "Logged in.",
        outcome: "verified",
      },
    },
  });
});
afterEach(() => api.close());

function Validate() {
  const { start } = useValidate(account);
  return <button onClick={start}>Validate</button>;
}

test("ACC-44: shows the result of a validation for 3 s", async () => {
  const told = vi.spyOn(toast, "success");
  renderScreen(<Validate />);
  fireEvent.click(await screen.findByText("Validate"));
  const text = `Validation completed for account ${account.name} with status: Verified`;
  expect(await screen.findByText(text)).toBeTruthy();
  expect(told).toHaveBeenCalledWith(text, { duration: 3_000 });
  told.mockRestore();
});
