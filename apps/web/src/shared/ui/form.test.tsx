import { Select, TextInput } from "@mantine/core";
import { act, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { Form } from "./form.tsx";

function Dialog({ send }: { send: () => Promise<void> }) {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <>
      <button onClick={() => setIsOpen(false)}>Leave</button>
      {isOpen && (
        <Form
          initial={{}}
          check={() => ({})}
          submitLabel="Save"
          failureText="Failed to save"
          onCancel={() => undefined}
          onSubmit={send}
        >
          {() => null}
        </Form>
      )}
    </>
  );
}

test.each([
  ["in the dialog", false],
  ["in a toast when the dialog is closed by then", true],
])("a refusal is shown %s", async (_, leaves) => {
  const answer = Promise.withResolvers<void>();
  const { user } = renderScreen(<Dialog send={() => answer.promise} />);
  await user.click(screen.getByRole("button", { name: "Save" }));
  if (leaves) await user.click(screen.getByRole("button", { name: "Leave" }));
  await act(async () => answer.reject(new Error("Somebody was faster")));
  expect(await screen.findByText("Somebody was faster")).toBeTruthy();
  expect(screen.getByText("Failed to save")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Save" }) === null).toBe(leaves);
});

test("the first invalid field gets the focus, and a refusal about a field shows only at the field", async () => {
  const { user } = renderScreen(
    <Form
      initial={{ name: "", host: "" }}
      check={({ host }) => (host === "" ? { host: "Enter a host" } : {})}
      objectionsIn={(error) => ({ name: (error as Error).message })}
      failureText={() => null}
      submitLabel="Save"
      onSubmit={() => Promise.reject(new Error("The name is taken"))}
    >
      {(form) => (
        <>
          <TextInput label="Name" {...form.getInputProps("name")} />
          <TextInput label="Host" {...form.getInputProps("host")} />
        </>
      )}
    </Form>,
  );
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(document.activeElement).toBe(screen.getByLabelText("Host"));
  expect(screen.getByText("Enter a host")).toBeTruthy();
  await user.type(screen.getByLabelText("Host"), "db1");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The name is taken")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("Enter in an open list chooses an option and does not submit", async () => {
  let sent = 0;
  const { user } = renderScreen(
    <Form initial={{ size: null }} submitLabel="Save" onSubmit={async () => (sent += 1)}>
      {(form) => <Select label="Size" searchable data={["Small", "Large"]} {...form.getInputProps("size")} />}
    </Form>,
  );
  const field = screen.getByRole("combobox", { name: "Size" });
  await user.click(field);
  await user.keyboard("nothing{Enter}");
  expect(sent).toBe(0);
  await user.clear(field);
  await user.keyboard("la{Enter}");
  expect(field).toHaveProperty("value", "Large");
  expect(sent).toBe(0);
  await user.keyboard("{Enter}");
  expect(sent).toBe(1);
});
