import type { CommandArg } from "@/machines/lifecycle";

type Arg = Omit<CommandArg, "min" | "max" | "options" | "default" | "suggested"> & {
  min?: number | undefined;
  max?: number | undefined;
  options?: readonly string[] | undefined;
  default?: unknown;
  suggested?: unknown;
};
type Args = Record<string, Arg>;
type Values = Record<string, unknown>;

export function firstArgs(args: Args): Values {
  return Object.fromEntries(
    Object.entries(args).map(([name, arg]) => [
      name,
      arg.default ?? arg.suggested ?? arg.options?.[0] ?? empty[arg.type],
    ]),
  );
}

const empty: Record<Arg["type"], unknown> = { integer: 0, string: "", boolean: false };

export function CommandArgs({
  args,
  values,
  onChange,
}: {
  args: Args;
  values: Values;
  onChange: (values: Values) => void;
}) {
  return Object.entries(args).map(([name, arg]) => (
    <label key={name} className="field">
      {arg.title}
      <Input arg={arg} value={values[name]} onChange={(value) => onChange({ ...values, [name]: value })} />
    </label>
  ));
}

function Input({ arg, value, onChange }: { arg: Arg; value: unknown; onChange: (value: unknown) => void }) {
  if (arg.options) {
    return (
      <select value={String(value)} onChange={(event) => onChange(event.target.value)}>
        {arg.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  if (arg.type === "boolean")
    return <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />;
  if (arg.type === "integer") {
    return (
      <input
        type="number"
        step={1}
        min={arg.min}
        max={arg.max}
        value={Number(value)}
        onChange={(event) => onChange(event.target.valueAsNumber || 0)}
      />
    );
  }
  return <input type="text" value={String(value)} onChange={(event) => onChange(event.target.value)} />;
}
