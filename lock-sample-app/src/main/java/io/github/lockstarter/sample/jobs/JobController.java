package io.github.lockstarter.sample.jobs;

import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/jobs")
class JobController {

    private final ReportJob reports;
    private final IndexJob index;
    private final ArchiveJob archive;
    private final ReminderJob reminders;
    private final ExportJob exports;

    JobController(ReportJob reports, IndexJob index, ArchiveJob archive, ReminderJob reminders, ExportJob exports) {
        this.reports = reports;
        this.index = index;
        this.archive = archive;
        this.reminders = reminders;
        this.exports = exports;
    }

    @PostMapping("/report")
    ReportRun report() {
        return reports.run()
                .map(report -> new ReportRun("done", Optional.of(report)))
                .orElseGet(() -> new ReportRun(
                        "skipped: another run is in progress, or began less than a second ago", Optional.empty()));
    }

    @PostMapping("/index")
    IndexJob.Rebuilt index() {
        return index.rebuild();
    }

    @PostMapping("/archive")
    ArchiveJob.Archived archive() {
        return archive.archive();
    }

    @GetMapping("/reminders")
    ReminderJob.Reminders reminders() {
        return reminders.reminders();
    }

    @PostMapping("/export")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Exports export() {
        exports.request();
        return exports();
    }

    @GetMapping("/export")
    Exports exports() {
        return new Exports(exports.exports());
    }

    /** Number of exports by this instance. */
    record Exports(long done) {}

    /**
     * Result of the report job.
     *
     * @param report empty if skipped
     */
    record ReportRun(String outcome, Optional<ReportJob.Report> report) {}
}
