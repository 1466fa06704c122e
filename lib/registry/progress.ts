/** How far the embedding of a registry has come, in texts. */
export type Progress = (done: number, total: number) => void;
