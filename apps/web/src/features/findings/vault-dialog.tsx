// Stores the secrets of findings in a safe, and optionally updates their files or replaces the secrets by references (FIND-13, FIND-16).
import { NumberInput, Select, SimpleGrid, TextInput } from "@mantine/core";
import {
  isFilePlace,
  SYSTEM_TYPE_OPTIONS,
  VaultSettings,
  type SecurityFinding,
  type SystemType,
} from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { RadioChoices } from "#shared/ui/radio-choices.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./findings.module.css";
import { vaulting, type FindingLogin } from "./findings.queries.ts";

export interface LoginFormValues {
  username: string;
  systemType: SystemType | null;
  hostname: string;
  port: number | string;
  databaseName: string;
}

export const emptyLogin = (finding: SecurityFinding | undefined): LoginFormValues => ({
  username: finding?.finding_data.username ?? "",
  systemType: null,
  hostname: "",
  port: "",
  databaseName: "",
});

/** Empty fields come from the finding. */
export const loginIn = ({ username, systemType, hostname, port, databaseName }: LoginFormValues): FindingLogin => ({
  ...(username.trim() === "" ? {} : { username }),
  ...(systemType === null ? {} : { systemType }),
  ...(hostname.trim() === "" ? {} : { hostname }),
  ...(typeof port === "number" ? { port } : {}),
  ...(databaseName.trim() === "" ? {} : { databaseName }),
});

const SYSTEMS = SYSTEM_TYPE_OPTIONS.filter(({ label }) => label !== "MariaDB");

/** What happens to the file. */
const FILE_CHOICES = [
  { value: "keep", label: "Keep it", description: "The file still contains the secret." },
  {
    value: "update",
    label: "Rotate the secret and update the file",
    description:
      "Strongroom changes the secret now, and writes the new one into the file after this and every later rotation.",
  },
  {
    value: "reference",
    label: "Replace the secret with a reference",
    description:
      "Programs must then be started with “strongroom run”, or get the file from “strongroom inject”. This cannot be undone.",
  },
] as const;

interface VaultFormValues extends LoginFormValues {
  file: (typeof FILE_CHOICES)[number]["value"];
}

interface VaultDialogProps extends DialogProps {
  findings: readonly SecurityFinding[];
  /** The login with which the only finding's secret was verified before. */
  login?: LoginFormValues | null;
}

export function VaultDialog({ findings, login: verified = null, ...props }: VaultDialogProps) {
  const { mutateAsync: vault } = useMutation(vaulting(useQueryClient()));
  const areFiles = findings.every(({ finding_data }) => isFilePlace(finding_data.file_path));
  const [only] = findings.length === 1 ? findings : [];
  const initial: VaultFormValues = { ...(verified ?? emptyLogin(only)), file: "keep" };
  async function save({ file, ...login }: VaultFormValues) {
    const result = await vault({
      findingIds: findings.map(({ id }) => id),
      vaultSettings: VaultSettings.parse({}),
      fixFiles: file === "update",
      useReferences: file === "reference",
      login: loginIn(login),
    });
    const [first] = result.failed;
    if (result.vaulted === 0 && first !== undefined) throw new Error(first.message);
    if (first !== undefined) {
      toast.error(first.message, { title: `${counted(result.failed.length, "finding")} could not be vaulted` });
    }
    return result;
  }
  return (
    <FormDialog
      {...props}
      title="Vault Findings"
      initial={initial}
      submitLabel="Vault"
      failureText="Failed to vault findings"
      save={save}
      done={({ message }) => message}
    >
      {(dialog) => (
        <Form {...dialog}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                {`Reads ${counted(findings.length, areFiles ? "file" : "place")} again and stores the secret in the target's safe. A secret that an account already has is linked to that account.`}
              </p>
              <LoginFields form={form} />
              {areFiles && <RadioChoices label="File" choices={FILE_CHOICES} {...form.getInputProps("file")} />}
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

interface LoginFieldsProps {
  form: { getInputProps: (name: keyof LoginFormValues) => object };
}

/** The fields that the finding does not name. */
export function LoginFields({ form }: LoginFieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="User name" placeholder="As found" maxLength={128} {...form.getInputProps("username")} />
        <Select label="System" placeholder="As found" data={SYSTEMS} clearable {...form.getInputProps("systemType")} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Host" placeholder="As found" maxLength={253} {...form.getInputProps("hostname")} />
        <NumberInput label="Port" placeholder="Usual port" min={1} max={65_535} {...form.getInputProps("port")} />
        <TextInput label="Database" placeholder="Usual name" maxLength={128} {...form.getInputProps("databaseName")} />
      </SimpleGrid>
    </>
  );
}
