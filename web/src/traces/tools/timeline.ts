/** How the time of a tool is spent, as ingestion reports it. */
export interface TimeOfTool {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  histogram: { le: number; count: number }[];
  checkpoints: CheckpointTimes[];
  samples: string[];
}

export interface CheckpointTimes {
  name: string;
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  share: number;
}

/** Returns a latency that at least `some` calls reach, but few others; undefined if no call has one. */
export function slowerThan(of: TimeOfTool, some: number): number | undefined {
  let above = 0;
  for (let i = of.histogram.length - 1; i >= 0; i--) {
    above += of.histogram[i]?.count ?? 0;
    if (above >= some || (i === 0 && above > 0)) {
      return i === 0 ? 0 : (of.histogram[i - 1]?.le ?? 0) + 1;
    }
  }
  return undefined;
}
