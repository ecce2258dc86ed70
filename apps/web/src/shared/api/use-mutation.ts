// TanStack Query's `useMutation`, but its callbacks run even after the component unmounts.
import {
  useMutation as useMutationOfThisScreen,
  type UseMutationOptions,
  type UseMutationResult,
} from "@tanstack/react-query";
import { useIsHere } from "#shared/ui/use-is-here.ts";

/**
 * Callbacks of one `mutate`. `isHere` is false after the screen unmounted, which then has no dialog to close and must
 * not navigate.
 */
interface Callbacks<Done> {
  onSuccess?: (done: Done, isHere: boolean) => unknown;
  onError?: (error: Error, isHere: boolean) => unknown;
  onSettled?: (isHere: boolean) => unknown;
}

type Mutate<Done, Fields> = (fields: Fields, callbacks?: Callbacks<Done>) => void;
type WithMutate<Result, Mutate> = Result extends unknown ? Omit<Result, "mutate"> & { mutate: Mutate } : never;

/**
 * The library runs the callbacks of a single `mutate` only while the component is mounted, so a closed dialog or a
 * left page would never report the result. This hook awaits the mutation itself.
 */
export function useMutation<Done, Fields = void, Before = unknown>(
  options: UseMutationOptions<Done, Error, Fields, Before>,
): WithMutate<UseMutationResult<Done, Error, Fields, Before>, Mutate<Done, Fields>> {
  const mutation = useMutationOfThisScreen(withoutWaiting(options));
  const isHere = useIsHere();
  const { mutateAsync } = mutation;
  const mutate: Mutate<Done, Fields> = (fields, callbacks = {}) =>
    void runCallbacks(mutateAsync(fields), callbacks, isHere);
  return { ...mutation, mutate };
}

/**
 * The library waits for the promises that `onSuccess` and `onSettled` return, usually a refetch, before the mutation
 * settles. Offline a refetch takes a minute, and the user would wait that long for the error message.
 */
function withoutWaiting<Done, Fields, Before>(
  options: UseMutationOptions<Done, Error, Fields, Before>,
): UseMutationOptions<Done, Error, Fields, Before> {
  const { onSuccess, onSettled } = options;
  return {
    ...options,
    ...(onSuccess && { onSuccess: (...given) => void onSuccess(...given) }),
    ...(onSettled && { onSettled: (...given) => void onSettled(...given) }),
  };
}

async function runCallbacks<Done>(
  pending: Promise<Done>,
  callbacks: Callbacks<Done>,
  isHere: () => boolean,
): Promise<void> {
  const [answer] = await Promise.allSettled([pending]);
  try {
    if (answer.status === "fulfilled") callbacks.onSuccess?.(answer.value, isHere());
    else callbacks.onError?.(answer.reason as Error, isHere());
  } finally {
    callbacks.onSettled?.(isHere());
  }
}
