// The protocol and the additional parameters of an account or credential, generated from the connectors' descriptions.
import { ActionIcon, Alert, Select, Skeleton, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { isProtocolType, type ConnectorDescription, type ParameterField } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import classes from "./connection-parameters.module.css";
import { ConnectorIcon, ConnectorOption } from "./connector-icon.tsx";
import { connectorList } from "./connectors.queries.ts";
import { NONE, ParameterInput } from "./parameter-input.tsx";
import {
  afterProtocol,
  canShow,
  fieldsOf,
  isEditable,
  leafName,
  leafText,
  leavesOf,
  parameterOf,
  portAfterProtocol,
  withLeaf,
  withParameter,
  withoutLeaf,
  type EntryKind,
  type Json,
  type Params,
} from "./parameter-values.ts";

/** The part of a form that has these two fields. */
interface ParameterForm {
  values: { additional_params: Params; port: string };
  errors: Readonly<Record<string, ReactNode>>;
  setValues(values: { additional_params: Params; port?: string }): void;
  clearFieldError(path: string): void;
  getInputProps(path: string): object;
}

export interface ConnectionParametersProps {
  form: ParameterForm;
  kind: EntryKind;
  /** The parameters when the form was opened. */
  stored: Params;
  /** The port of the entry without a protocol, or empty. */
  usualPort: string;
}

export function ConnectionParameters(props: ConnectionParametersProps) {
  const { data, error } = useQuery(connectorList);
  if (error !== null) {
    return (
      <Alert color="red" className={classes.whole} role="alert">
        The connection settings could not be loaded: {messageOf(error)} Stored settings are kept.
      </Alert>
    );
  }
  if (data === undefined) return <Skeleton height={60} className={classes.whole} />;
  return <LoadedParameters {...props} connectors={data.connectors} />;
}

type LoadedProps = ConnectionParametersProps & { connectors: readonly ConnectorDescription[] };

function LoadedParameters({ connectors, form, kind, stored, usualPort }: LoadedProps) {
  const params = form.values.additional_params;
  const fields = fieldsOf(connectors, kind, params);
  const shown = fields.filter((field) => canShow(field, parameterOf(stored, field)));
  const main = shown.filter(({ is_advanced }) => is_advanced !== true);
  const advanced = shown.filter(({ is_advanced }) => is_advanced === true);
  const error = form.errors["additional_params"];
  const errorOf = ({ name }: ParameterField) => form.errors[`additional_params.${name}`];

  function change(additional_params: Params, port?: string): void {
    for (const path of Object.keys(form.errors)) if (path.startsWith("additional_params")) form.clearFieldError(path);
    form.setValues({ additional_params, ...(port === undefined ? {} : { port }) });
  }

  function chooseProtocol(protocol: string | null): void {
    const port = portAfterProtocol(connectors, form.values.port, params["protocol"], protocol, usualPort);
    change(afterProtocol(connectors, kind, params, protocol), port);
  }

  const input = (field: ParameterField) => (
    <ParameterInput
      // A field of the same name in a different protocol has its own state.
      key={`${JSON.stringify(params["protocol"])} ${field.name}`}
      field={field}
      value={parameterOf(params, field)}
      error={errorOf(field)}
      dataPath={dataPathIn(form, field)}
      onChange={(value) => change(withParameter(params, field, value))}
    />
  );
  return (
    <div role="group" aria-label="Additional Parameters" className={classes.group}>
      {isProtocolType(kind.type) && (
        <ProtocolField
          type={kind.type}
          connectors={connectors}
          protocol={params["protocol"]}
          onChoose={chooseProtocol}
        />
      )}
      {main.map(input)}
      {advanced.length > 0 && (
        <MoreOptions hasError={advanced.some((field) => errorOf(field) !== undefined)}>
          {advanced.map(input)}
        </MoreOptions>
      )}
      <OtherParameters params={params} stored={stored} fields={shown} onChange={change} />
      {error !== undefined && error !== null && <p className={classes.error}>{error}</p>}
    </div>
  );
}

function dataPathIn(form: ParameterForm, { name }: ParameterField): string | undefined {
  const props: { "data-path"?: string } = form.getInputProps(`additional_params.${name}`);
  return props["data-path"];
}

const WITHOUT_PROTOCOL: Partial<Record<string, string>> = {
  server: "SSH (default)",
  password: "By port, otherwise SSH",
  application: "By port, otherwise not verified",
};

interface ProtocolFieldProps {
  type: string;
  connectors: readonly ConnectorDescription[];
  protocol: Json | undefined;
  onChoose: (protocol: string | null) => void;
}

function ProtocolField({ type, connectors, protocol, onChoose }: ProtocolFieldProps) {
  const offered = connectors
    .flatMap(({ icon, protocols }) => protocols.map(({ value, label }) => ({ value, label, icon })))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const text = typeof protocol === "string" ? protocol : JSON.stringify(protocol);
  const known = offered.find(({ value }) => value === text?.toLowerCase());
  const unknown = text === undefined || known !== undefined ? [] : [{ value: text, label: `${text} (unknown)` }];
  const none = { value: NONE, label: WITHOUT_PROTOCOL[type] ?? "None: not verified" };
  const iconOf = (value: string) => offered.find((each) => each.value === value)?.icon;
  return (
    <Select
      className={classes.whole}
      label="Protocol"
      description="How the password is verified and changed"
      data={[none, ...offered.map(({ value, label }) => ({ value, label })), ...unknown]}
      allowDeselect={false}
      searchable
      nothingFoundMessage="No matching protocol"
      leftSection={known === undefined ? undefined : <ConnectorIcon name={known.icon} />}
      renderOption={({ option }) => <ConnectorOption icon={iconOf(option.value)} label={option.label} />}
      value={text === undefined ? NONE : (known?.value ?? text)}
      onChange={(next) => {
        if (next === null || next === (known?.value ?? text ?? NONE)) return;
        onChoose(next === NONE ? null : next);
      }}
    />
  );
}

function MoreOptions({ hasError, children }: { hasError: boolean; children: ReactNode }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || hasError;
  return (
    <>
      <div className={classes.whole}>
        <DisclosureButton label="More options" isOpen={isShown} onChange={setOpen} controls={id} />
      </div>
      <div id={id} className={classes.group} hidden={!isShown}>
        {children}
      </div>
    </>
  );
}

interface OtherParametersProps {
  params: Params;
  stored: Params;
  fields: readonly ParameterField[];
  onChange: (params: Params) => void;
}

/** Stored parameters that have no description, or whose values do not fit it. */
function OtherParameters({ params, stored, fields, onChange }: OtherParametersProps) {
  const leaves = leavesOf(params, fields);
  if (leaves.length === 0) return null;
  return (
    <div role="group" aria-label="Other parameters" className={classes.whole}>
      <p className={classes.rowsLabel}>Other parameters</p>
      <p className={classes.hint}>Stored unencrypted. The chosen protocol has no field for these values.</p>
      {leaves.map((leaf) => {
        const name = leafName(leaf);
        return (
          <div key={name} className={classes.row}>
            <TextInput
              className={classes.cell}
              label={name}
              spellCheck={false}
              autoComplete="off"
              maxLength={10_000}
              disabled={!isEditable(leaf)}
              value={leafText(leaf)}
              onChange={({ target }) => onChange(withLeaf(params, stored, leaf, target.value))}
            />
            <ActionIcon
              className={classes.removeLeaf}
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name}`}
              onClick={() => onChange(withoutLeaf(params, leaf))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
    </div>
  );
}
