import { useState } from "react";
import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { useMutation } from "./use-mutation.ts";

/** A dialog that sends a mutation and can unmount before the response. */
function Screen({ send, told }: { send: () => Promise<string>; told: string[] }) {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <>
      {isOpen && <Sender send={send} told={told} />}
      <button onClick={() => setIsOpen(false)}>Leave</button>
    </>
  );
}

/** A component whose own success handler throws. */
function FailingSender({ told }: { told: string[] }) {
  const { mutate } = useMutation({ mutationFn: async () => "done" });
  const onSuccess = () => {
    throw new Error("a mistake of the screen");
  };
  return <button onClick={() => mutate(undefined, { onSuccess, onSettled: () => told.push("settled") })}>Send</button>;
}

function Sender({ send, told }: { send: () => Promise<string>; told: string[] }) {
  const { mutate, isPending } = useMutation({ mutationFn: send });
  const ask = () =>
    mutate(undefined, {
      onSuccess: (done, isHere) => told.push(`${done}, ${isHere ? "here" : "gone"}`),
      onError: ({ message }, isHere) => told.push(`${message}, ${isHere ? "here" : "gone"}`),
      onSettled: (isHere) => told.push(`settled, ${isHere ? "here" : "gone"}`),
    });
  return <button onClick={ask}>{isPending ? "Sending" : "Send"}</button>;
}

test.each([
  ["here", false, ["done, here", "settled, here"]],
  ["gone", true, ["done, gone", "settled, gone"]],
])("the callbacks run when the screen is %s", async (_, leaves, expected) => {
  const answer = Promise.withResolvers<string>();
  const told: string[] = [];
  const { user } = renderScreen(<Screen send={() => answer.promise} told={told} />);
  await user.click(screen.getByRole("button", { name: "Send" }));
  await screen.findByRole("button", { name: "Sending" });
  if (leaves) await user.click(screen.getByRole("button", { name: "Leave" }));
  await act(async () => answer.resolve("done"));
  await expect.poll(() => told).toEqual(expected);
});

test("the error callback runs after unmounting, for each of two pending mutations", async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const told: string[] = [];
  let asked = 0;
  const { user } = renderScreen(<Screen send={() => answers[asked++]!.promise} told={told} />);
  await user.click(screen.getByRole("button", { name: "Send" }));
  await user.click(await screen.findByRole("button", { name: "Sending" }));
  await user.click(screen.getByRole("button", { name: "Leave" }));
  await act(async () => answers[0]!.resolve("done"));
  await act(async () => answers[1]!.reject(new Error("refused")));
  await expect.poll(() => told).toEqual(["done, gone", "settled, gone", "refused, gone", "settled, gone"]);
});

test("onSettled runs after a handler that throws, and the handler's error is reported", async () => {
  const mistakes: unknown[] = [];
  const told: string[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (mistake) => void mistakes.push(mistake));
  try {
    const { user } = renderScreen(<FailingSender told={told} />);
    await user.click(screen.getByRole("button", { name: "Send" }));
    await expect.poll(() => mistakes).toEqual([new Error("a mistake of the screen")]);
    expect(told).toEqual(["settled"]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
});

/** Sends a mutation whose refetch never finishes, as when the server cannot be reached. */
function RefetchingSender({ send, told }: { send: () => Promise<string>; told: string[] }) {
  const never = () => new Promise<void>(() => undefined);
  const { mutate } = useMutation({ mutationFn: send, onSuccess: never, onSettled: never });
  const ask = () =>
    mutate(undefined, {
      onSuccess: (done) => told.push(done),
      onError: ({ message }) => told.push(message),
    });
  return <button onClick={ask}>Send</button>;
}

test.each([
  ["success", () => Promise.resolve("saved"), "saved"],
  ["failure", () => Promise.reject(new Error("The server did not answer")), "The server did not answer"],
])("a %s is reported while the refetch is still running", async (_, send, expected) => {
  const told: string[] = [];
  const { user } = renderScreen(<RefetchingSender send={send} told={told} />);
  await user.click(screen.getByRole("button", { name: "Send" }));
  await expect.poll(() => told).toEqual([expected]);
});
