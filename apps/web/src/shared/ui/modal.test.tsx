import { screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { Modal } from "./modal.tsx";

function Screen() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button onClick={() => setIsOpen(true)}>Open</button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="New Safe">
        <input aria-label="Search" />
        <form>
          <input aria-label="Name" />
          <button type="button" onClick={() => setIsOpen(false)}>
            Cancel
          </button>
        </form>
      </Modal>
    </>
  );
}

async function open() {
  const { user } = renderScreen(<Screen />);
  await user.click(screen.getByRole("button", { name: "Open" }));
  return { user, dialog: within(await screen.findByRole("dialog", { name: "New Safe" })) };
}

const isClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

test.each([
  ["Escape", "{Escape}"],
  ["the close button", null],
])("%s closes a dialog with an unedited form without confirmation", async (_, key) => {
  const { user, dialog } = await open();
  await user.type(dialog.getByLabelText("Search"), "a search is not a form");
  await (key === null ? user.click(dialog.getByRole("button", { name: "Close" })) : user.keyboard(key));
  await isClosed();
});

test.each([
  ["Escape", "{Escape}"],
  ["the close button", null],
])("%s asks for confirmation before it discards an edited form", async (_, key) => {
  const { user, dialog } = await open();
  await user.type(dialog.getByLabelText("Name"), "Payroll");
  await (key === null ? user.click(dialog.getByRole("button", { name: "Close" })) : user.keyboard(key));
  const question = within(await screen.findByRole("dialog", { name: "Discard changes?" }));
  await user.click(question.getByRole("button", { name: "Keep Editing" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Discard changes?" })).toBeNull());
  expect(dialog.getByLabelText<HTMLInputElement>("Name").value).toBe("Payroll");
});

test("Escape in the confirmation returns to the form", async () => {
  const { user, dialog } = await open();
  await user.type(dialog.getByLabelText("Name"), "Payroll");
  await user.keyboard("{Escape}");
  await screen.findByRole("dialog", { name: "Discard changes?" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Discard changes?" })).toBeNull());
  expect(screen.getByRole("dialog", { name: "New Safe" })).toBeTruthy();
});

test("Discard closes both dialogs, and the dialog opens empty the next time", async () => {
  const { user, dialog } = await open();
  await user.type(dialog.getByLabelText("Name"), "Payroll");
  await user.keyboard("{Escape}");
  const question = within(await screen.findByRole("dialog", { name: "Discard changes?" }));
  await user.click(question.getByRole("button", { name: "Discard" }));
  await isClosed();
  await user.click(screen.getByRole("button", { name: "Open" }));
  await screen.findByRole("dialog", { name: "New Safe" });
  await user.keyboard("{Escape}");
  await isClosed();
});

test("the form's own Cancel discards without confirmation", async () => {
  const { user, dialog } = await open();
  await user.type(dialog.getByLabelText("Name"), "Payroll");
  await user.click(dialog.getByRole("button", { name: "Cancel" }));
  await isClosed();
});

test("the focus returns to the opener when an open dialog unmounts", async () => {
  function Unmounting() {
    const [isOpen, setIsOpen] = useState(false);
    const close = () => setIsOpen(false);
    return (
      <>
        <button onClick={() => setIsOpen(true)}>Open</button>
        {isOpen && (
          <Modal opened onClose={close} title="New Safe">
            <input aria-label="Name" data-autofocus />
          </Modal>
        )}
      </>
    );
  }
  const { user } = renderScreen(<Unmounting />);
  await user.click(screen.getByRole("button", { name: "Open" }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  await user.keyboard("{Escape}");
  await isClosed();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" })));
});

test("Escape closes only the topmost of two dialogs", async () => {
  function Nested() {
    const [isDetailsOpen, setIsDetailsOpen] = useState(true);
    const [isVerifyOpen, setIsVerifyOpen] = useState(false);
    return (
      <>
        <Modal opened={isDetailsOpen} onClose={() => setIsDetailsOpen(false)} title="Details">
          <button onClick={() => setIsVerifyOpen(true)}>Verify</button>
        </Modal>
        <Modal opened={isVerifyOpen} onClose={() => setIsVerifyOpen(false)} title="Verify Secret">
          <input aria-label="Host" />
        </Modal>
      </>
    );
  }
  const { user } = renderScreen(<Nested />);
  await user.click(await screen.findByRole("button", { name: "Verify" }));
  await screen.findByRole("dialog", { name: "Verify Secret" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Verify Secret" })).toBeNull());
  expect(screen.getByRole("dialog", { name: "Details" })).toBeTruthy();
  await user.keyboard("{Escape}");
  await isClosed();
});

test("an edited form of a dialog inside another one does not count as an edit of the other", async () => {
  function Inside() {
    const [isRuleOpen, setIsRuleOpen] = useState(false);
    const [isOpen, setIsOpen] = useState(true);
    return (
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Details">
        <button onClick={() => setIsRuleOpen(true)}>Add Rule</button>
        <Modal opened={isRuleOpen} onClose={() => setIsRuleOpen(false)} title="Rule">
          <form>
            <input aria-label="Reason" />
            <button type="button" onClick={() => setIsRuleOpen(false)}>
              Save
            </button>
          </form>
        </Modal>
      </Modal>
    );
  }
  const { user } = renderScreen(<Inside />);
  await user.click(await screen.findByRole("button", { name: "Add Rule" }));
  await user.type(await screen.findByLabelText("Reason"), "A sample");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Rule" })).toBeNull());
  await user.keyboard("{Escape}");
  await isClosed();
});
