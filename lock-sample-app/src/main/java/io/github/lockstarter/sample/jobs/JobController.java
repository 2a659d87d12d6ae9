package io.github.lockstarter.sample.jobs;

import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/jobs")
class JobController {

    private final ReportJob reports;
    private final IndexJob index;
    private final ExportJob exports;
    private final ReminderJob reminders;

    JobController(ReportJob reports, IndexJob index, ExportJob exports, ReminderJob reminders) {
        this.reports = reports;
        this.index = index;
        this.exports = exports;
        this.reminders = reminders;
    }

    @PostMapping("/report")
    ReportRun report() {
        return reports.run()
                .map(report -> new ReportRun("done", Optional.of(report)))
                .orElseGet(() -> new ReportRun("skipped: another run is in progress", Optional.empty()));
    }

    @PostMapping("/index")
    IndexJob.Rebuilt index() {
        return index.rebuild();
    }

    @PostMapping("/export")
    ExportJob.Exported export() {
        return exports.export();
    }

    @GetMapping("/reminders")
    ReminderJob.Reminders reminders() {
        return reminders.reminders();
    }

    /**
     * Result of the report job.
     *
     * @param report empty if skipped
     */
    record ReportRun(String outcome, Optional<ReportJob.Report> report) {}
}
