// The page shown while the vault is sealed: a user who knows the passphrase can unseal it; others wait.
import { Alert, PasswordInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Navigate, useLocation } from "react-router";
import { returnPlace } from "#shared/return-path.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { Form } from "#shared/ui/form.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { readSeal, unseal } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";

/** Milliseconds. Polled because another user may unseal the vault. */
const ASK_EVERY_MS = 5000;

function UnsealForm() {
  const { mutateAsync: open } = useUnseal();
  return (
    <Form
      label="Unseal the vault"
      initial={{ passphrase: "" }}
      check={({ passphrase }) => (passphrase === "" ? { passphrase: "Please enter the passphrase." } : {})}
      objectionsIn={(error) => ({ passphrase: messageOf(error, "The vault could not be unsealed.") })}
      failureText={() => null}
      submitLabel="Unseal"
      submit={{ size: "md", fullWidth: true }}
      onSubmit={async ({ passphrase }, _, form) => {
        try {
          await open(passphrase);
        } catch (error) {
          form.reset();
          throw error;
        }
        toast.success("The vault is unsealed.");
      }}
    >
      {(form) => (
        <PasswordInput label="Passphrase" autoComplete="off" size="md" {...form.getInputProps("passphrase")} />
      )}
    </Form>
  );
}

export default function UnsealPage() {
  const { state } = useLocation();
  const { data, error, refetch, isFetching } = useSeal();
  if (data?.is_sealed === false) return <Navigate to={returnPlace(state)} replace />;

  return (
    <SignedOutLayout
      title="The vault is sealed"
      description="Nothing can be read or changed until the vault is unsealed."
    >
      {data === undefined && error === null && <SectionLoading />}
      {error !== null && (
        <ErrorState message={messageOf(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {error === null && data?.provider === "passphrase" && <UnsealForm />}
      {error === null && data?.provider === "key-file" && (
        <Alert color="petrol" icon={<IconLock aria-hidden />}>
          This installation is unsealed with its key file. Restart the server, and this page continues automatically.
        </Alert>
      )}
    </SignedOutLayout>
  );
}

const useSeal = () =>
  useQuery({ ...queryOf(readSeal, {}, { isBackground: true }), staleTime: 0, refetchInterval: ASK_EVERY_MS });

function useUnseal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (passphrase: string) => call(unseal, { body: { passphrase } }),
    onSuccess: () => client.invalidateQueries(),
  });
}
