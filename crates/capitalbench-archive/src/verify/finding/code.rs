//! [`Code`] names every kind of finding with its severity and its meaning, in one table, so that
//! the program and its documents agree.

use std::fmt;

use super::Severity;

macro_rules! codes {
    ($($variant:ident $text:literal $severity:ident $meaning:literal)+) => {
        /// Every kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)+
        }

        impl Code {
            /// All codes, errors first.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable text.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

codes! {
    UnreadableFile "unreadable-file" Error
        "A file cannot be read, or does not have its format."
    RoundIdMismatch "round-id-mismatch" Error
        "The manifest names a round other than its folder, or a file belongs to another round."
    RunIdMismatch "run-id-mismatch" Error
        "A run manifest names a run or round other than its folder."
    InputHashMismatch "input-hash-mismatch" Error
        "A frozen input does not have its stored digest."
    ResearchHashMismatch "research-hash-mismatch" Error
        "A research file does not have its stored digest."
    BriefingDiffers "briefing-differs" Error
        "The briefing models saw is not the final briefing of the research."
    BriefingUnfounded "briefing-unfounded" Error
        "A mechanical briefing does not follow from the sources that are kept with the round."
    FactAfterCutoff "fact-after-cutoff" Error
        "A kept source of a mechanical briefing holds a row later than the research cutoff."
    DailyReturnsDiffer "daily-returns-differ" Error
        "The frozen daily returns are missing, incomplete, or do not follow from the kept histories (from v1.2 on)."
    ResearchExposed "research-exposed" Error
        "A research file other than the final briefing is marked as shown to models."
    RosterVersionMismatch "roster-version-mismatch" Error
        "The roster version does not follow from the frozen model ids."
    WindowDiffers "window-differs" Error
        "The window is not the one that its own rule and deadline give."
    ModelInputDiffers "model-input-differs" Error
        "The stored model input does not follow from the other frozen inputs."
    OptionOrderDiffers "option-order-differs" Error
        "The model input lists the options in another order than the one drawn from the frozen inputs (from v1.2 on)."
    LaneInputDiffers "lane-input-differs" Error
        "A twin lane was asked another text than the one that follows from the frozen inputs."
    ReplyFormDiffers "reply-form-differs" Error
        "The prompt or the schema is not the one that the methodology prescribes (from v1.2 on)."
    VerdictDiffers "verdict-differs" Error
        "A raw submission is valid, but recorded as invalid, or the other way round."
    ParsedSubmissionDiffers "parsed-submission-differs" Error
        "A parsed submission does not follow from its raw file."
    ParsedWithoutRaw "parsed-without-raw" Error
        "A parsed submission has no raw file."
    RunCountsDiffer "run-counts-differ" Error
        "Counts in the run manifest or the validation summary differ from the files."
    RunLogDiffers "run-log-differs" Error
        "A submission has no line in the run log, or a line names a model without a submission."
    ReplyDigestMismatch "reply-digest-mismatch" Error
        "A stored reply does not have the digest in the run log."
    AnswerDiffers "answer-differs" Error
        "The ledger's record of an attempt does not follow from the stored answer."
    ModelNameDiffers "model-name-differs" Error
        "An attempt asked for, or a valid answer came from, a model other than the one that the plan and its repairs name."
    RepairUnfounded "repair-unfounded" Error
        "A model got another name although an attempt under the name before may have been answered."
    RawSubmissionDiffers "raw-submission-differs" Error
        "A raw submission does not follow from its stored reply or the ledger of its run."
    ControlDiffers "control-differs" Error
        "The file of a control entrant does not follow from the round and the run."
    OfficialRunAmbiguous "official-run-ambiguous" Error
        "Several runs qualify as the record, and the operator did not choose one."
    AcceptanceDiffers "acceptance-differs" Error
        "An acceptance does not match its run: a name, a digest or the run it supersedes is wrong."
    MissingAnswersDiffer "missing-answers-differ" Error
        "An acceptance lists other models without a valid answer, or other reasons, than the ledger of its run."
    EndingDiffers "ending-differs" Error
        "A tombstone or an explanation names another round, or a tombstone stands beside an accepted run."
    PriceSheetInvalid "price-sheet-invalid" Error
        "A price file cannot be read or breaks its format."
    PriceRuleBroken "price-rule-broken" Error
        "Prices break a rule that this round's own methodology enforces."
    PriceRecordDiffers "price-record-differs" Error
        "The price sheets differ from the record of their fetch."
    IndexDiffers "index-differs" Error
        "A published index does not follow from the closes as fetched, which stay private."
    ReturnRestated "return-restated" Error
        "A return that the reader fetched again is another one: the vendor restated a close, or the published return is wrong."
    NotAsPublished "not-as-published" Error
        "A public price file is not what the manifest says: closes in place of indexes or the other way round, or an index that the rule never gives."
    ResultDiffers "result-differs" Error
        "A result file does not follow from the submissions and the prices."
    ResultIncomplete "result-incomplete" Error
        "A scored run lacks a result file, or files needed to score it again are missing."
    ResultFromIneligibleRun "result-from-ineligible-run" Error
        "A run that must not count has a leaderboard."
    InterimDiffers "interim-differs" Error
        "Interim rows do not follow from the submissions and the interim prices."
    JobContradictsResult "job-contradicts-result" Error
        "The resolution job contradicts the results."
    InventedRecord "invented-record" Error
        "A run with invented answers is the record of a real round, or a real run that of an invented market."
    LogBroken "log-broken" Error
        "The files of the log do not follow from its leaves, or a signature is invalid."
    LogHistoryDiffers "log-history-differs" Error
        "The log does not continue a checkpoint seen before: another key, fewer leaves or another history."
    FixedFileChanged "fixed-file-changed" Error
        "An answer, a pick, an acceptance or research was changed or removed after the log had fixed it."
    ReplacedUnexplained "replaced-unexplained" Error
        "Prices or results were replaced after the exit prices were known, and no correction says why."
    PromiseNotKept "promise-not-kept" Error
        "The manifest promises a signed or stamped round, and the log or a stamp is missing."
    EventMissing "event-missing" Error
        "The log lacks an event that the files record, or an event between two others."
    EventContradictsFiles "event-contradicts-files" Error
        "An event of the log contradicts the files of the round."
    LoggedFileDiffers "logged-file-differs" Error
        "A file or its salt differs from the one that the log signed."
    LoggedFileMissing "logged-file-missing" Error
        "A file that the log signed is missing."
    FileNotLogged "file-not-logged" Error
        "A file of a signed round is in no event of the log."
    SaltMissing "salt-missing" Error
        "A public file has no salt, so it cannot be compared with the log."
    LogOrderBroken "log-order-broken" Error
        "Events are in the log in an order in which they cannot have happened."
    SlotUnaccounted "slot-unaccounted" Error
        "A slot of the record has no end, several ends, or an attempt that was not planned."
    StampInvalid "stamp-invalid" Error
        "A time stamp of an outside clock is invalid."
    CosignatureInvalid "cosignature-invalid" Error
        "A cosignature of a witness is invalid, or the list of witnesses cannot be read."
    ClaimLate "claim-late" Error
        "A claim was registered on its first day or later, so it counts for nothing."
    ClaimInvalid "claim-invalid" Error
        "A registered claim breaks a rule: its name is taken, or its family is full or was fixed otherwise."
    ClaimEdited "claim-edited" Error
        "The file of a claim is not what the log has; the claim is judged by the log."
    ClaimMissing "claim-missing" Error
        "The log has a claim whose file is gone; the claim is judged all the same."
    ClaimUnsigned "claim-unsigned" Error
        "A file among the claims is not in the log, so nothing was registered."
    EntryMissing "entry-missing" Error
        "The log has a registration, a sealed entry or an opening whose file is gone; the entry keeps its slot."
    EntryEdited "entry-edited" Error
        "A registration, a sealed entry or an opening is not the file that the log has."
    EntryOutOfTime "entry-out-of-time" Error
        "An entry was logged after the deadline, or opened before the entry close or after the next session began; it does not count."
    EntryInvalid "entry-invalid" Error
        "The log has something of an entrant that breaks a rule: altered, doubled, re-sealed, unregistered, copied, of another league or round, or one of many registrations; it does not count."
    EntryUnsigned "entry-unsigned" Error
        "A file among those of entrants is in no leaf of the log, so nothing was taken."
    ReceiptInvalid "receipt-invalid" Error
        "The receipt of an entrant is missing, or does not hold for its leaf of the log."
    MarketsMixed "markets-mixed" Error
        "Rounds of one folder are of different markets, whose returns cannot be compared."
    LaneUnplanned "lane-unplanned" Warning
        "A twin lane was asked that the manifest does not plan, more than once, or another number of times; it counts nowhere."
    ScoredBeforeExit "scored-before-exit" Warning
        "The result was made before the exit close."
    CallAfterDeadline "call-after-deadline" Warning
        "Official calls ended after the decision deadline."
    DecisionAfterEntryClose "decision-after-entry-close" Warning
        "Decisions were made after the close they are scored from."
    ResearchAfterCall "research-after-call" Warning
        "The research cutoff is later than the first call."
    RosterFrozenLate "roster-frozen-late" Warning
        "The roster was frozen after the first call."
    RosterIncomplete "roster-incomplete" Warning
        "The official run did not ask exactly the frozen roster."
    AskedAgain "asked-again" Warning
        "A model was asked again although it had given a valid answer."
    ManyAttempts "many-attempts" Warning
        "A model was asked three times or more, rejections aside, before an answer was accepted."
    RequestDiffers "request-differs" Warning
        "An attempt sent another request than the attempts of its slot before it."
    SeveralEligibleRuns "several-eligible-runs" Warning
        "More than one run may count; only the operator decides which does."
    ResultOfUnselectedRun "result-of-unselected-run" Warning
        "A run that is not the record has a leaderboard."
    InterimFromIneligibleRun "interim-from-ineligible-run" Warning
        "A run that must not count has interim tracking."
    NoOfficialRun "no-official-run" Warning
        "Providers were asked, but no run is the record."
    ResolutionCancelled "resolution-cancelled" Warning
        "The resolution of the round was cancelled."
    Overdue "overdue" Warning
        "The exit close was a day ago or more, but nothing is scored."
    PriceRowOffDate "price-row-off-date" Warning
        "A price row has a date other than the window's."
    PriceSourceDiffers "price-source-differs" Warning
        "Entry and exit of an option come from different sources."
    PriceSourceReplaced "price-source-replaced" Warning
        "Prices come from a source other than the frozen one, for a recorded reason."
    ReturnsNotFetched "returns-not-fetched" Warning
        "The source that the reader asked again does not give the return of an option."
    ListingChanged "listing-changed" Warning
        "An option was renamed or delisted, so its prices follow the rule for that."
    MovesAccepted "moves-accepted" Warning
        "A price moved more in a day than the round believes from one source, and the operator gave a reason."
    ProviderHostDiffers "provider-host-differs" Warning
        "A model was called at a host other than those the manifest froze."
    BlankClose "blank-close" Warning
        "Price rows have no raw close, so their adjustment cannot be checked."
    UnadjustedPrice "unadjusted-price" Warning
        "A raw close was used where there is no adjusted one."
    MissedDistribution "missed-distribution" Warning
        "A fund that only accrues interest gained nothing: a distribution is missing."
    AdjustmentDiffers "adjustment-differs" Warning
        "An adjusted close does not move as closes, dividends and splits require."
    UnpricedOptions "unpriced-options" Warning
        "Options have no price, so there is no oracle, no regret and no score."
    AdjustedCloseDiffers "adjusted-close-differs" Warning
        "Another file of the archive has another adjusted close for the same option and day."
    RawCloseDiffers "raw-close-differs" Warning
        "Another file of the archive has another raw close for the same option and day."
    UniverseLabelReused "universe-label-reused" Warning
        "Rounds with one universe version have different options."
    RenameRefused "rename-refused" Warning
        "A plan says that a model continues a record that it cannot continue; boards keep the records apart."
    PromptSteers "prompt-steers" Warning
        "The prompt holds a passage that tells models when to hold the reference."
    PromptForeignHorizon "prompt-foreign-horizon" Warning
        "The prompt names the other track's horizon."
    OrderUnproved "order-unproved" Warning
        "By the instants in the log, a step was signed later than the rules of the round allow."
    PricesUnproved "prices-unproved" Warning
        "A round that promises proof is scored with prices that only the operator vouches for."
    ReportReplaced "report-replaced" Warning
        "A report replaced another one although no result changed."
    AttemptUnseen "attempt-unseen" Warning
        "The program stopped during an attempt, so nobody saw how it ended; it counts as an attempt."
    AgentUnanswered "agent-unanswered" Warning
        "An agent was asked about a round, and the log does not say how it ended."
    QuorumMissing "quorum-missing" Warning
        "Fewer witnesses than the rule asks for cosigned the newest state of the log that was shown to others."
    ClaimRoundUnproved "claim-round-unproved" Warning
        "A round does not count for a claim: the log does not show its acceptance before the entry close."
    Draft "draft" Note
        "The round is not frozen, or no model was asked yet."
    Pending "pending" Note
        "The exit close has not passed yet."
    Pilot "pilot" Note
        "The round is a pilot and stands outside the record."
    RoundEnded "round-ended" Note
        "The round was voided or abandoned: it has no record, and its tombstone says why."
    RoundExplained "round-explained" Note
        "The operator explained something about the round; its picks and results stay and count."
    FrozenAgain "frozen-again" Note
        "The log holds more than one freeze of the round; the last one before the first call counts."
    NoRealCall "no-real-call" Note
        "No run asked a provider: the round is an example or a rehearsal."
    AcceptanceWithdrawn "acceptance-withdrawn" Note
        "A run was accepted, but is no longer the record."
    AssembledRun "assembled-run" Note
        "The official run holds answers of other runs."
    ReplyNotPublished "reply-not-published" Note
        "Replies are private; their digests cannot be checked here."
    FreezeTimeUnproved "freeze-time-unproved" Note
        "Nothing outside the folder proves that the inputs were frozen before the calls."
    RosterNotFrozen "roster-not-frozen" Note
        "The manifest does not say which models should have been asked."
    ModelInputNotHashed "model-input-not-hashed" Note
        "The stored model input is not covered by a digest."
    ResearchNotPublished "research-not-published" Note
        "The folder holds no research."
    SourcesNotPublished "sources-not-published" Note
        "The price histories are the vendor's and private; what follows from them cannot be made again here."
    ReturnsFetchedAgain "returns-fetched-again" Note
        "The reader fetched the returns again, and this many are equal."
    ClosesNotPublished "closes-not-published" Note
        "The round publishes returns only, so they are the operator's word; `verify --prices-from` fetches them again."
    ForeignPriceRows "foreign-price-rows" Note
        "Price rows that belong to no option of the round are ignored."
    InterimBasisDiffers "interim-basis-differs" Note
        "Interim tracking started from prices that differ from the final entry prices."
    OlderResultFormat "older-result-format" Note
        "A result file has the columns of an earlier format; those it has were compared."
    NotInLog "not-in-log" Note
        "The folder has a log, but the round is not in it."
    BodyWithheld "body-withheld" Note
        "Files are in the log by their sealed digest, but are not public here."
    InstantGiven "instant-given" Note
        "Commands used an instant given with --now in place of the clock."
    AuthorityNotVouched "authority-not-vouched" Note
        "The log has a stamp of an authority for which only the operator vouches."
    WitnessUnknown "witness-unknown" Note
        "The log has a cosignature by a key that nobody names as a witness."
    UnfinishedWrite "unfinished-write" Note
        "A temporary file was left behind by a crash."
    EntryTimeUnproved "entry-time-unproved" Note
        "No outside clock shows that an entry was in the log before its deadline, or opened before the next session."
    ClaimTimeUnproved "claim-time-unproved" Note
        "No outside clock shows that a claim was registered before its first day."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
