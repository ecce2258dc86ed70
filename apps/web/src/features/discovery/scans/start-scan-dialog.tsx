// "Configure Discovery Scan" (SCAN-01, SCAN-14 to SCAN-17).
import { Switch, TextInput } from "@mantine/core";
import { ScanSettings } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import type { ScanDialogProps, StartedScans } from "#shared/discovery/discovery-tab.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { STARTING_UP, estimateOf, numberOr } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { scanStart, severalScansStart } from "../discovery.queries.ts";

interface ScanFormValues {
  includeSystemAccounts: boolean;
  timeout: string;
  maxAccounts: string;
}

const USUAL = ScanSettings.parse({});

const settingsOf = ({ includeSystemAccounts, timeout, maxAccounts }: ScanFormValues) => ({
  includeSystemAccounts,
  timeout: numberOr(timeout, USUAL.timeout),
  maxAccounts: numberOr(maxAccounts, USUAL.maxAccounts),
});

/** SCAN-26. A refusal says why; the text of the row is for a server that does not answer. */
const failureOf = (error: unknown) =>
  isCallError(error) && error.status >= 400 && error.status < 500
    ? { title: "Failed to start discovery scan", message: messageOf(error) }
    : { title: `Failed to start discovery scan - ${STARTING_UP}`, message: messageOf(error) };

export function StartScanDialog({ targets, onStarted, ...props }: ScanDialogProps) {
  const client = useQueryClient();
  const [target] = targets;
  const isOne = targets.length === 1;
  const { mutateAsync: start } = useMutation(scanStart(client, target.id));
  const { mutateAsync: startAll } = useMutation(severalScansStart(client));
  const save = async (scanSettings: ReturnType<typeof settingsOf>): Promise<StartedScans | null> => {
    if (!isOne) return startAll({ targetIds: targets.map(({ id }) => id), scanSettings });
    await start(scanSettings);
    return null;
  };
  const initial: ScanFormValues = {
    includeSystemAccounts: USUAL.includeSystemAccounts,
    timeout: String(USUAL.timeout),
    maxAccounts: String(USUAL.maxAccounts),
  };
  return (
    <FormDialog
      {...props}
      title="Configure Discovery Scan"
      initial={initial}
      submitLabel={isOne ? "Start Scan" : `Start ${counted(targets.length, "Scan")}`}
      failureText={failureOf}
      save={(values: ScanFormValues) => save(settingsOf(values))}
      done={isOne ? "Discovery scan started successfully" : null}
      onDone={(reply) => reply !== null && onStarted?.(reply)}
    >
      {(dialog) => (
        <Form {...dialog} check={(values) => firstObjections(ScanSettings, settingsOf(values))}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                {isOne ? (
                  <>
                    Logs in to <strong>{target.hostname}</strong> once and lists its accounts. It changes nothing there.
                  </>
                ) : (
                  <>
                    Logs in to each of the <strong>{counted(targets.length, "target")}</strong> once and lists its
                    accounts. It changes nothing there. Targets that cannot be scanned now are skipped.
                  </>
                )}
              </p>
              <Switch
                label="Include system accounts"
                description="Accounts that belong to the system and cannot log in."
                {...form.getInputProps("includeSystemAccounts", { type: "checkbox" })}
              />
              <TextInput
                label="Timeout (milliseconds)"
                inputMode="numeric"
                maxLength={6}
                {...form.getInputProps("timeout")}
              />
              <TextInput
                label="Maximum accounts"
                description="With more accounts, the scan stores privileged ones first."
                inputMode="numeric"
                maxLength={5}
                {...form.getInputProps("maxAccounts")}
              />
              <p className={classes.sentence}>
                {isOne ? "Estimated duration" : "Estimated duration of each scan"}:{" "}
                {estimateOf(numberOr(form.values.timeout, USUAL.timeout))}
              </p>
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
