// "Enhanced Security Discovery Scan": which secrets to look for, where and how thoroughly (SCAN-31 to SCAN-46).
import { Button, Checkbox, Fieldset, Group, NumberInput, Select, Switch, TextInput, Textarea } from "@mantine/core";
import {
  ComplianceFramework,
  FRAMEWORK_NAMES,
  FindingSeverity,
  ScanConfig,
  ScanDepth,
  ScanSchedule,
  ScanType,
} from "@strongroom/contract";
import type { SavedScanConfig } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { fieldErrorsOf, firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import type { ScanDialogProps, StartedScans } from "#shared/discovery/discovery-tab.ts";
import { ScheduleFields } from "#shared/discovery/schedule-fields.tsx";
import { NO_SCHEDULE, SCHEDULE_FIELDS, scheduleOf, type ScheduleValues } from "#shared/discovery/schedule-values.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import {
  DEPTH_LABELS,
  SCAN_TOGGLES,
  THRESHOLD_LABELS,
  TYPE_LABELS,
  patternsIn,
  type ScanToggle,
} from "./scan-labels.ts";
import { sourceOfAll } from "./scan-sources.ts";
import classes from "./scans.module.css";
import {
  configCreation,
  configDeletion,
  enhancedScanStart,
  savedConfigs,
  scheduleCreation,
  severalEnhancedScansStart,
  type NewScan,
} from "./scans.queries.ts";

interface ScanFormValues
  extends
    ScheduleValues,
    Omit<ScanConfig, "filePatterns" | "excludePatterns" | "maxFileSize" | "timeoutSeconds" | "maxLoadPerCore"> {
  filePatterns: string;
  excludePatterns: string;
  /** Megabytes of 1,048,576 bytes. */
  maxFileSize: number | string;
  timeoutSeconds: number | string;
  maxLoadPerCore: number | string;
  frameworks: readonly ComplianceFramework[];
  autoVault: boolean;
}

const MEGABYTE = 1_048_576;
/** The limits of the contract. */
const LARGEST_FILE = 1024 * MEGABYTE;
const LONGEST_SECONDS = 86_400;
const USUAL = ScanConfig.parse({});
const USUAL_FRAMEWORKS: readonly ComplianceFramework[] = ["sox", "pci_dss"];

const valuesOf = (config: ScanConfig, frameworks: readonly ComplianceFramework[]): ScanFormValues => ({
  ...config,
  filePatterns: config.filePatterns.join("\n"),
  excludePatterns: config.excludePatterns.join("\n"),
  maxFileSize: config.maxFileSize / MEGABYTE,
  maxLoadPerCore: config.maxLoadPerCore ?? "",
  frameworks,
  autoVault: false,
  ...NO_SCHEDULE,
});

const scheduleIn = ({ cron, timezone, jitterMinutes, windowFrom, windowTo }: ScheduleValues): ScheduleValues => ({
  cron,
  timezone,
  jitterMinutes,
  windowFrom,
  windowTo,
});

/**
 * SCAN-34: an entry that is not a number falls back to the usual value, and others become the nearest that can be
 * stored.
 */
const wholeNumber = (value: number | string, usual: number, most: number): number =>
  Math.min(most, Math.max(1, Math.round(typeof value === "number" ? value : usual)));

function configOf(values: ScanFormValues): ScanConfig {
  const { frameworks: _frameworks, autoVault: _autoVault, ...others } = values;
  const {
    cron: _cron,
    timezone: _timezone,
    jitterMinutes: _jitter,
    windowFrom: _from,
    windowTo: _to,
    ...config
  } = others;
  return {
    ...config,
    filePatterns: patternsIn(values.filePatterns),
    excludePatterns: patternsIn(values.excludePatterns),
    maxFileSize: wholeNumber(
      typeof values.maxFileSize === "number" ? values.maxFileSize * MEGABYTE : "",
      USUAL.maxFileSize,
      LARGEST_FILE,
    ),
    timeoutSeconds: wholeNumber(values.timeoutSeconds, USUAL.timeoutSeconds, LONGEST_SECONDS),
    maxLoadPerCore:
      typeof values.maxLoadPerCore === "number" ? Math.min(100, Math.max(0.1, values.maxLoadPerCore)) : null,
  };
}

const bodyOf = (values: ScanFormValues): NewScan => ({
  scanConfig: configOf(values),
  complianceFrameworks: [...values.frameworks],
  autoVault: values.autoVault,
});

const isScheduled = ({ cron }: ScheduleValues): boolean => cron.trim() !== "";

type Errors = Partial<Record<keyof ScanFormValues, string>>;

const check = (values: ScanFormValues): Errors =>
  isScheduled(values)
    ? firstObjections(
        ScanSchedule,
        scheduleOf(values),
        (path) => SCHEDULE_FIELDS[`schedule.${path.map(String).join(".")}`] ?? "cron",
      )
    : {};

function objectionsIn(error: unknown): Errors {
  const { schedule } = fieldErrorsOf(error, (path): path is "schedule" => path === "schedule");
  return schedule === undefined ? {} : { cron: schedule };
}

const choices = <T extends string>(values: readonly T[], labels: Record<T, string>) =>
  values.map((value) => ({ value, label: labels[value] }));

export function StartEnhancedScanDialog({ targets, onStarted, ...props }: ScanDialogProps) {
  const [target] = targets;
  const isOne = targets.length === 1;
  const { does, excludes, hasFiles, patterns, without } = sourceOfAll(targets.map(({ target_type }) => target_type));
  const isOfHost = without.length === 0;
  const isOffered = (toggle: ScanToggle) => !without.includes(toggle);
  const client = useQueryClient();
  const { mutateAsync: start } = useMutation(enhancedScanStart(client, target.id));
  const { mutateAsync: startAll } = useMutation(severalEnhancedScansStart(client));
  const { mutateAsync: plan } = useMutation(scheduleCreation(client, target.id));
  const save = async (values: ScanFormValues): Promise<string | StartedScans> => {
    if (!isOne) return startAll({ targetIds: targets.map(({ id }) => id), ...bodyOf(values) });
    const schedule = scheduleOf(values);
    if (schedule === null) {
      await start(bodyOf(values));
      return "Enhanced security scan started successfully";
    }
    const { scanConfig, complianceFrameworks } = bodyOf(values);
    await plan({ schedule, scanConfig: { ...scanConfig, autoVaultFindings: false }, complianceFrameworks });
    return "Enhanced scans scheduled successfully";
  };
  return (
    <FormDialog
      {...props}
      size="xl"
      title="Enhanced Security Discovery Scan"
      initial={valuesOf({ ...USUAL, ...patterns }, USUAL_FRAMEWORKS)}
      submitLabel={(values) => {
        if (isScheduled(values)) return "Schedule Enhanced Scans";
        return isOne ? "Start Enhanced Scan" : `Start ${counted(targets.length, "Enhanced Scan")}`;
      }}
      failureText={(error) => messageOf(error) || "Failed to start enhanced scan"}
      save={save}
      done={isOne ? String : null}
      onDone={(done) => typeof done !== "string" && onStarted?.(done)}
    >
      {(dialog) => (
        <Form {...dialog} check={check} objectionsIn={objectionsIn}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                {isOne
                  ? does(target.hostname)
                  : `Scans ${counted(targets.length, "target")} with the same configuration. It writes nothing there, and no content is stored. Targets that cannot be scanned now are skipped.`}
              </p>
              <SavedConfigs
                values={form.values}
                onChoose={({ scan_config, compliance_frameworks }) =>
                  form.setValues({ ...valuesOf(scan_config, compliance_frameworks), ...scheduleIn(form.values) })
                }
              />
              {isOne && <ScheduleFields form={form} none="Once, now" />}
              <div className={classes.fields}>
                <Select
                  label="Scan type"
                  data={choices(ScanType.options, TYPE_LABELS)}
                  allowDeselect={false}
                  {...form.getInputProps("scanType")}
                />
                <Select
                  label="Scan depth"
                  data={choices(ScanDepth.options, DEPTH_LABELS)}
                  allowDeselect={false}
                  {...form.getInputProps("scanDepth")}
                />
                <Select
                  label="Risk threshold"
                  data={choices(FindingSeverity.options.toReversed(), THRESHOLD_LABELS)}
                  allowDeselect={false}
                  {...form.getInputProps("riskThreshold")}
                />
              </div>
              <Fieldset legend="Look for">
                <div className={classes.group}>
                  {(Object.keys(SCAN_TOGGLES) as ScanToggle[]).filter(isOffered).map((name) => (
                    <Switch key={name} label={SCAN_TOGGLES[name]} {...form.getInputProps(name, { type: "checkbox" })} />
                  ))}
                </div>
              </Fieldset>
              <div className={classes.fields}>
                {hasFiles && (
                  <Textarea
                    label="File patterns"
                    description="One on each line. The kinds of secrets above add the usual names of their files."
                    rows={5}
                    {...form.getInputProps("filePatterns")}
                  />
                )}
                <Textarea
                  label="Exclude patterns"
                  description={excludes}
                  rows={5}
                  {...form.getInputProps("excludePatterns")}
                />
              </div>
              <div className={classes.fields}>
                {hasFiles && (
                  <NumberInput label="Maximum file size (MB)" min={0} {...form.getInputProps("maxFileSize")} />
                )}
                <NumberInput label="Timeout (seconds)" min={1} {...form.getInputProps("timeoutSeconds")} />
                {isOfHost && (
                  <NumberInput
                    label="Maximum load per core"
                    placeholder="No limit"
                    min={0.1}
                    step={0.5}
                    {...form.getInputProps("maxLoadPerCore")}
                  />
                )}
              </div>
              {isOfHost && <p className={classes.sentence}>The scan pauses while the host has a higher load.</p>}
              <Checkbox.Group label="Compliance frameworks" {...form.getInputProps("frameworks")}>
                <div className={classes.group}>
                  {ComplianceFramework.options.map((framework) => (
                    <Checkbox key={framework} value={framework} label={FRAMEWORK_NAMES[framework]} />
                  ))}
                </div>
              </Checkbox.Group>
              {isScheduled(form.values) ? (
                <p className={classes.sentence}>
                  Scheduled scans act for you and need your permissions each time. They store no secrets.
                </p>
              ) : (
                <>
                  <Switch
                    label="Vault findings as they are found"
                    description="Stores new secrets in the target's safe when the file names their account and system."
                    {...form.getInputProps("autoVaultFindings", { type: "checkbox" })}
                  />
                  <Switch
                    label="Vault all new findings at the end"
                    description="The same secret in several files becomes one account."
                    {...form.getInputProps("autoVault", { type: "checkbox" })}
                  />
                </>
              )}
              {isOfHost && (
                <Switch
                  label="Include system files"
                  description="Programs and libraries that came with the system, such as /usr/lib."
                  {...form.getInputProps("includeSystemFiles", { type: "checkbox" })}
                />
              )}
              {hasFiles && (
                <Switch
                  label="Read unchanged files again"
                  description="Without it, the scan reads only files that changed since the last one."
                  {...form.getInputProps("readAgain", { type: "checkbox" })}
                />
              )}
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

interface SavedConfigsProps {
  values: ScanFormValues;
  onChoose: (config: SavedScanConfig) => void;
}

/** Chooses, saves and deletes configurations of the user. */
function SavedConfigs({ values, onChoose }: SavedConfigsProps) {
  const client = useQueryClient();
  const { data } = useQuery(savedConfigs);
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const { mutate: save, isPending } = useMutation(configCreation(client));
  const saved = data?.data ?? [];
  const selected = saved.find(({ id }) => id === chosen);
  const choose = (id: string | null) => {
    setChosen(id);
    const config = saved.find((each) => each.id === id);
    if (config !== undefined) onChoose(config);
  };
  return (
    <Group align="end" gap="xs">
      <Select
        label="Saved configuration"
        placeholder={saved.length === 0 ? "None saved" : "Choose one"}
        data={saved.map((each) => ({ value: each.id, label: each.name }))}
        value={chosen}
        onChange={choose}
        clearable
      />
      {selected !== undefined && <DeleteConfigButton config={selected} onDone={() => setChosen(null)} />}
      <TextInput
        label="Save as"
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button
        variant="default"
        loading={isPending}
        disabled={name.trim() === ""}
        onClick={() =>
          save(
            { name, scanConfig: configOf(values), complianceFrameworks: [...values.frameworks] },
            {
              onSuccess: () => {
                setName("");
                toast.success("Scan configuration saved");
              },
              onError: (error) => toast.error(messageOf(error), { title: "Failed to save scan configuration" }),
            },
          )
        }
      >
        Save
      </Button>
    </Group>
  );
}

function DeleteConfigButton({ config, onDone }: { config: SavedScanConfig; onDone: () => void }) {
  const { mutate, isPending } = useMutation(configDeletion(useQueryClient(), config.id));
  return (
    <Button
      variant="light"
      color="red"
      loading={isPending}
      onClick={() =>
        mutate(undefined, {
          onSuccess: ({ message }) => {
            onDone();
            toast.success(message);
          },
          onError: (error) => toast.error(messageOf(error), { title: "Failed to delete scan configuration" }),
        })
      }
    >
      Delete
    </Button>
  );
}
