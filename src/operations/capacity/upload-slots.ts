/** Uploads that this node receives at the same time. */
export interface UploadSlots {
  /** Null: all slots are taken. Otherwise call the result when the upload has ended. */
  take(): (() => void) | null;
}

export function createUploadSlots(max: number): UploadSlots {
  let taken = 0;
  return {
    take() {
      if (taken >= max) return null;
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
}
