// The input of one described parameter, by its kind.
import { ActionIcon, Button, Select, Switch, TextInput, Textarea } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ParameterColumn, ParameterField } from "@strongroom/contract";
import { useState, type ReactNode } from "react";
import classes from "./connection-parameters.module.css";
import type { Json, Params } from "./parameter-values.ts";

export interface ParameterInputProps {
  field: ParameterField;
  value: Json | undefined;
  error: ReactNode;
  /** Lets the form focus the input when it has an error. */
  dataPath: string | undefined;
  /** Undefined removes the parameter. */
  onChange: (value: Json | undefined) => void;
}

const asText = (value: Json | undefined): string => {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};
const orNone = (text: string): string | undefined => (text === "" ? undefined : text);

export function ParameterInput({ field, value, error, dataPath, onChange }: ParameterInputProps) {
  const common = {
    label: field.label,
    description: field.help,
    required: field.is_required === true,
    error,
    "data-path": dataPath,
  };
  switch (field.kind) {
    case "text":
      return (
        <TextInput
          {...common}
          placeholder={field.placeholder}
          maxLength={field.max_length ?? 2000}
          autoComplete="off"
          spellCheck={false}
          value={asText(value)}
          onChange={({ target }) => onChange(orNone(target.value))}
        />
      );
    case "number":
      return (
        <TextInput
          {...common}
          inputMode="numeric"
          placeholder={field.placeholder}
          maxLength={String(field.max).length}
          value={asText(value)}
          onChange={({ target }) => onChange(numberOr(target.value.trim()))}
        />
      );
    case "lines":
      return (
        <Textarea
          {...common}
          className={classes.whole}
          rows={3}
          resize="vertical"
          spellCheck={false}
          placeholder={field.placeholder}
          maxLength={10_000}
          value={asText(value)}
          onChange={({ target }) => onChange(orNone(target.value))}
        />
      );
    case "choice":
      return (
        <Select
          {...common}
          data={choicesOf(field.options, value, field.placeholder ?? "Default")}
          allowDeselect={false}
          value={value === undefined ? NONE : asText(value)}
          onChange={(next) => next !== null && onChange(next === NONE ? undefined : next)}
        />
      );
    case "switch":
      return (
        <Switch
          label={field.label}
          description={field.help}
          error={error}
          data-path={dataPath}
          checked={typeof value === "boolean" ? value : field.default}
          onChange={({ target }) => onChange(target.checked === field.default ? undefined : target.checked)}
        />
      );
    case "list":
      return <ListInput {...common} placeholder={field.placeholder} value={value} onChange={onChange} />;
    case "pairs":
      return (
        <RowsInput
          field={field}
          columns={PAIR}
          error={error}
          initial={Object.entries((value ?? {}) as Params).map(([name, text]) => ({ name, text }))}
          onRows={(rows) => onChange(pairsOf(rows))}
        />
      );
    case "rows":
      return (
        <RowsInput
          field={field}
          columns={field.columns}
          error={error}
          initial={(value ?? []) as Params[]}
          onRows={(rows) => onChange(rows.length === 0 ? undefined : rows)}
        />
      );
    default:
      return field satisfies never;
  }
}

/** The value of the choice that stores nothing. */
export const NONE = "-";

function choicesOf(options: readonly { value: string; label: string }[], value: Json | undefined, none: string) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  const stored = isKnown ? [] : [{ value: asText(value), label: asText(value) }];
  return [{ value: NONE, label: none }, ...options, ...stored];
}

function numberOr(text: string): number | string | undefined {
  return /^\d+$/.test(text) ? Number(text) : orNone(text);
}

interface ListInputProps {
  label: string;
  description: string | undefined;
  error: ReactNode;
  placeholder: string | undefined;
  value: Json | undefined;
  onChange: ParameterInputProps["onChange"];
}

function ListInput({ value, onChange, description, ...input }: ListInputProps) {
  // Keeps empty lines while the user types.
  const [text, setText] = useState(() => ((value ?? []) as string[]).join("\n"));
  const change = (next: string): void => {
    setText(next);
    const lines = next.split("\n").filter((line) => line.trim() !== "");
    onChange(lines.length === 0 ? undefined : lines);
  };
  return (
    <Textarea
      {...input}
      description={description === undefined ? "One per line" : `${description}. One per line.`}
      className={classes.whole}
      rows={2}
      resize="vertical"
      spellCheck={false}
      maxLength={5000}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

const PAIR: readonly ParameterColumn[] = [
  { kind: "text", name: "name", label: "Name" },
  { kind: "text", name: "text", label: "Value" },
];

function pairsOf(rows: readonly Params[]): Params | undefined {
  const pairs = rows.flatMap(({ name, text }) => (typeof name === "string" ? [[name, text ?? ""] as const] : []));
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

interface RowsInputProps {
  field: ParameterField;
  columns: readonly ParameterColumn[];
  error: ReactNode;
  initial: readonly Params[];
  /** Rows without any value are left out. */
  onRows: (rows: Params[]) => void;
}

interface Row {
  /** Keeps the focus in a row when an earlier one is removed. */
  key: number;
  values: Params;
}

function RowsInput({ field, columns, error, initial, onRows }: RowsInputProps) {
  const [rows, setRows] = useState<Row[]>(() => initial.map((values, key) => ({ key, values })));
  const [nextKey, setNextKey] = useState(initial.length);
  const change = (next: Row[]): void => {
    setRows(next);
    onRows(next.map(({ values }) => values).filter((values) => Object.keys(values).length > 0));
  };
  const set = (key: number, name: string, value: Json | undefined): void => {
    change(
      rows.map((row) => {
        if (row.key !== key) return row;
        const { [name]: _, ...others } = row.values;
        return { key, values: value === undefined ? others : { ...row.values, [name]: value } };
      }),
    );
  };
  return (
    <div role="group" aria-label={field.label} className={classes.whole}>
      <p className={classes.rowsLabel}>{field.label}</p>
      {field.help !== undefined && <p className={classes.hint}>{field.help}</p>}
      {rows.map((row, index) => (
        <div key={row.key} className={classes.row}>
          {columns.map((column) => (
            <Cell
              key={column.name}
              column={column}
              label={`${field.label}, row ${index + 1}: ${column.label}`}
              value={row.values[column.name]}
              onChange={(value) => set(row.key, column.name, value)}
            />
          ))}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove row ${index + 1} of ${field.label}`}
            onClick={() => change(rows.filter(({ key }) => key !== row.key))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && error !== null && <p className={classes.error}>{error}</p>}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={`Add row to ${field.label}`}
        onClick={() => {
          setRows([...rows, { key: nextKey, values: {} }]);
          setNextKey(nextKey + 1);
        }}
      >
        Add Row
      </Button>
    </div>
  );
}

interface CellProps {
  column: ParameterColumn;
  label: string;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
}

function Cell({ column, label, value, onChange }: CellProps) {
  switch (column.kind) {
    case "text":
      return (
        <TextInput
          className={classes.cell}
          aria-label={label}
          placeholder={column.label}
          maxLength={column.max_length ?? 2000}
          spellCheck={false}
          autoComplete="off"
          value={asText(value)}
          onChange={({ target }) => onChange(orNone(target.value))}
        />
      );
    case "choice":
      return (
        <Select
          className={classes.cell}
          aria-label={label}
          data={choicesOf(column.options, value, column.label)}
          allowDeselect={false}
          value={value === undefined ? NONE : asText(value)}
          onChange={(next) => next !== null && onChange(next === NONE ? undefined : next)}
        />
      );
    case "switch":
      return (
        <Switch
          aria-label={label}
          label={column.label}
          checked={value === undefined ? column.default : value === true}
          onChange={({ target }) => onChange(target.checked === column.default ? undefined : target.checked)}
        />
      );
    default:
      return column satisfies never;
  }
}
