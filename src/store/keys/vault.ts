/** Seals secrets for rest, and gives keyed hashes. A sealed text opens only for the place it was sealed for. */
export interface Vault {
  /** `place` names the row and the member, such as `source/<uid>/api_token`. */
  seal(place: string, plain: string): string
  /**
   * @throws AppError `unavailable`, reason `secret_unreadable`, when the key is lost or the text was moved or changed.
   */
  open(place: string, sealed: string): string
  /** The key for fingerprints of findings; derived, stable for the life of the data folder. */
  fingerprintKey(): Uint8Array
}
