import type { Figure } from "./bench-group";
import { round } from "./sample";

export function dashboardFigure(
  key: string,
  what: string,
  value: number,
  unit: Figure["unit"],
  atMost: number,
  detail: Figure["detail"],
): Figure {
  return {
    key: `dashboard-${key}`,
    what,
    value: round(value, unit === "ratio" ? 3 : 1),
    unit,
    goal: { atMost },
    detail,
  };
}
