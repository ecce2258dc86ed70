// "Create Discovery Target" and "Edit Discovery Target": a form in three steps (DISC-09 to DISC-13).
import { Alert, Button, Select, Switch, TextInput, Textarea } from "@mantine/core";
import { IconCircleCheck, IconPlugConnected, IconPlugConnectedX } from "@tabler/icons-react";
import { DISCOVERY_DEFAULTS, DiscoveryTargetType, hasAccounts, type DiscoveryTarget } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ScheduleFields } from "#shared/discovery/schedule-fields.tsx";
import { AccountSelect } from "#shared/ui/account-select.tsx";
import { Form } from "#shared/ui/form.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect } from "#shared/ui/search-select.tsx";
import { toast } from "#shared/ui/toast.ts";
import { TYPE_LABELS, methodLabel } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import {
  connectionTest,
  credentialNamed,
  safesFound,
  safesToAddTo,
  targetCreation,
  targetEdit,
} from "../discovery.queries.ts";
import {
  EMPTY_TARGET,
  STEPS,
  checkStep,
  editOf,
  formOf,
  hostnameFor,
  loginOf,
  newTargetOf,
  objectionsIn,
  type TargetFormValues,
} from "./target-form-values.ts";

const LAST_STEP = STEPS.length - 1;
const TYPES = DiscoveryTargetType.options.map((value) => ({ value, label: TYPE_LABELS[value] }));

export interface CreateTargetDialogProps extends DialogProps {
  /** The values of a host that a range scan found. */
  initial?: TargetFormValues;
  isOnTop?: boolean;
}

export function CreateTargetDialog({ initial = EMPTY_TARGET, ...props }: CreateTargetDialogProps) {
  const { mutateAsync: create } = useMutation(targetCreation(useQueryClient()));
  const save = async (values: TargetFormValues) => {
    await create(newTargetOf(values));
    toast.success("Discovery target created successfully");
  };
  return (
    <Modal {...props} title="Create Discovery Target">
      <TargetForm
        initial={initial}
        isNew
        submitLabel="Create Target"
        failureText="Failed to create discovery target"
        save={save}
        onClose={props.onClose}
      />
    </Modal>
  );
}

export function EditTargetDialog({ target, ...props }: DialogProps & { target: DiscoveryTarget }) {
  const { mutateAsync: change } = useMutation(targetEdit(useQueryClient(), target.id));
  const credential = useQuery({ ...credentialNamed(target.credential_id), enabled: props.opened });
  const save = async (values: TargetFormValues) => {
    await change(editOf(values));
    toast.success("Discovery target updated successfully");
  };
  return (
    <Modal {...props} title="Edit Discovery Target">
      {credential.isPending ? (
        <SectionLoading />
      ) : (
        <TargetForm
          initial={formOf(target, credential.data?.name ?? "An account that you cannot see")}
          isNew={false}
          submitLabel="Save Changes"
          failureText="Failed to update discovery target"
          save={save}
          onClose={props.onClose}
        />
      )}
    </Modal>
  );
}

interface TargetFormProps {
  initial: TargetFormValues;
  isNew: boolean;
  submitLabel: string;
  failureText: string;
  save: (values: TargetFormValues) => Promise<void>;
  onClose: () => void;
}

function TargetForm({ initial, isNew, submitLabel, failureText, save, onClose }: TargetFormProps) {
  const [step, setStep] = useState(0);
  const submit = async (values: TargetFormValues, isHere: () => boolean) => {
    if (step < LAST_STEP) return setStep(step + 1);
    await save(values);
    if (isHere()) onClose();
  };
  return (
    <Form<TargetFormValues>
      label="Discovery target"
      initial={initial}
      check={(values) => checkStep(values, step, isNew)}
      objectionsIn={objectionsIn}
      failureText={failureText}
      submitLabel={step === LAST_STEP ? submitLabel : "Next"}
      onCancel={step === 0 ? onClose : () => setStep(step - 1)}
      cancelLabel={step === 0 ? "Cancel" : "Back"}
      onSubmit={submit}
    >
      {(form) => (
        <>
          <ol className={classes.steps} aria-label="Steps">
            {STEPS.map(({ label }, index) => (
              <li key={label} aria-current={index === step ? "step" : undefined}>
                {index + 1}. {label}
              </li>
            ))}
          </ol>
          {step === 0 && (
            <>
              <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
              <Textarea label="Description" rows={2} maxLength={1000} {...form.getInputProps("description")} />
              <Select
                label="Type"
                required
                allowDeselect={false}
                data={TYPES}
                {...form.getInputProps("targetType")}
                onChange={(value) => {
                  const targetType = DiscoveryTargetType.parse(value);
                  const { port } = DISCOVERY_DEFAULTS[targetType];
                  const hostname = hostnameFor(targetType, form.values.hostname);
                  form.setValues({ targetType, hostname, port: String(port) });
                }}
              />
              {isNew && (
                <SearchSelect
                  label="Safe"
                  required
                  description="Its members see the target and the accounts that scans find."
                  placeholder="Search safes"
                  value={form.values.safe}
                  onChange={(safe) => form.setFieldValue("safe", safe)}
                  error={form.errors["safe"]}
                  search={safesFound}
                  foundIn={safesToAddTo}
                  nothingFound="No safe to which you may add accounts"
                />
              )}
              {!isNew && (
                <Switch
                  label="Active"
                  description="Only active targets are scanned."
                  {...form.getInputProps("isActive", { type: "checkbox" })}
                />
              )}
            </>
          )}
          {step === 1 && (
            <>
              <TextInput
                label="Hostname or IP Address"
                required
                maxLength={253}
                data-autofocus
                {...form.getInputProps("hostname")}
              />
              <TextInput label="Connection Method" readOnly value={methodLabel(form.values.targetType)} />
              <AccountSelect
                label="Credential"
                required
                description="Scans log in with this account. You need permission to retrieve its password."
                placeholder="Search accounts"
                failureToast="Failed to load credentials"
                value={form.values.credential}
                onChange={(credential) => form.setFieldValue("credential", credential)}
                error={form.errors["credential"]}
              />
            </>
          )}
          {step === LAST_STEP && (
            <>
              <TextInput
                label="Port"
                inputMode="numeric"
                maxLength={6}
                data-autofocus
                {...form.getInputProps("port")}
              />
              <TextInput
                label="Timeout (milliseconds)"
                inputMode="numeric"
                maxLength={6}
                {...form.getInputProps("timeout")}
              />
              {hasAccounts(form.values.targetType) && <ScheduleFields form={form} none="Only when started" />}
              <ConnectionTest values={form.values} />
            </>
          )}
        </>
      )}
    </Form>
  );
}

/** Shows the result for these values only: an edit hides it. */
function ConnectionTest({ values }: { values: TargetFormValues }) {
  const { mutate, data, error, isPending, variables } = useMutation(connectionTest);
  const login = loginOf(values);
  const isCurrent = JSON.stringify(variables) === JSON.stringify(login);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate(login)}
      >
        Test Connection
      </Button>
      <div role="status">
        {isCurrent && data !== undefined && (
          <Alert
            color={data.is_verified ? "green" : "red"}
            icon={data.is_verified ? <IconCircleCheck aria-hidden /> : <IconPlugConnectedX aria-hidden />}
            title={data.is_verified ? "The login works" : "The login failed"}
          >
            <p className={classes.sentence}>{data.message}</p>
            {data.host_key !== null && (
              <p className={classes.sentence}>
                Host key: <code>{`${data.host_key.type} ${data.host_key.fingerprint}`}</code>
              </p>
            )}
          </Alert>
        )}
        {isCurrent && error !== null && (
          <Alert color="red" title="The test could not run">
            {messageOf(error)}
          </Alert>
        )}
      </div>
    </>
  );
}
