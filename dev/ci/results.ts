/** Result of one test file. */
export interface FileResult {
  /** Path from the root of the project. */
  file: string;
  /** False also where a hook failed, or the file could not be loaded. */
  ok: boolean;
  passed: number;
  /** Names of the tests that failed. */
  failed: string[];
}

/** Result of one run of the tests. */
export interface RunResults {
  files: FileResult[];
  /** Errors outside of any test. One of a file that failed counts as part of that failure. */
  unhandled: number;
}

/** Totals of a run and its reruns. */
export interface Totals {
  passed: number;
  failed: number;
  /** One line for each test that failed first and passed alone: `FLAKY <file>: <test>`. */
  flaky: string[];
}

/** More failed files than this share a cause, so none of them is run again. */
const maxReruns = 10;

/**
 * Lists the files to run again. Empty after a run with errors outside of any test: a rerun of single
 * files would hide them.
 */
export function filesToRerun({ files, unhandled }: RunResults): string[] {
  const failed = files.filter(({ ok }) => !ok).map(({ file }) => file);
  return unhandled > 0 || failed.length > maxReruns ? [] : failed;
}

/**
 * Adds up a run, where the rerun of a file replaces its first result. A failed file without a
 * failed test counts as one failure, and so does each error outside of the tests.
 * @param reruns results by file; null where the rerun was cut off
 */
export function totalsOf(
  first: RunResults,
  reruns: ReadonlyMap<string, RunResults | null>,
): Totals {
  const totals: Totals = { passed: 0, failed: first.unhandled, flaky: [] };
  for (const result of first.files) {
    const rerun = reruns.get(result.file);
    const last = rerun?.unhandled === 0 ? rerun.files.find(isSame(result)) : undefined;
    const { passed, failed, ok } = last ?? result;
    totals.passed += passed;
    totals.failed += failed.length > 0 ? failed.length : Number(!ok);
    if (!result.ok && last !== undefined) totals.flaky.push(...flakyLines(result, last));
  }
  return totals;
}

function isSame({ file }: FileResult): (other: FileResult) => boolean {
  return (other) => other.file === file;
}

/**
 * Lines of the tests that failed first and passed in the rerun. A file that failed again without a
 * failed test may not have run its tests, so none of them passed.
 */
function flakyLines({ file, failed }: FileResult, last: FileResult): string[] {
  if (!last.ok && last.failed.length === 0) return [];
  const passed = failed.filter((name) => !last.failed.includes(name));
  const names = last.ok && failed.length === 0 ? ["outside of its tests"] : passed;
  return names.map((name) => `FLAKY ${file}: ${name}`);
}
